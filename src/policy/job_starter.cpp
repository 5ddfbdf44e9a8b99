#include "policy/job_starter.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"

namespace penstock {
namespace {

/// Whether a job may run in a pool: on its type of GPU, and where its files are.
bool suits(const Pool& pool, const JobState& job) {
  return (job.job.gpu_types >> pool.type().index & 1) != 0 &&
         (job.at == kNoSite || job.at == pool.site());
}

}  // namespace

JobStarter::JobStarter(const Cluster& cluster, PlaceRule rule)
    : cluster_(cluster), pools_(make_pools(cluster, rule)) {}

void JobStarter::update(const View& view) {
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e); }, event);
}

bool JobStarter::start(const JobState& job, const View& view, Decision& decision,
                       const std::string& reason) {
  for (Pool& pool : pools_) {
    if (!suits(pool, job)) continue;
    auto where = pool.place(job.job.gpus);
    if (!where) continue;
    pool.take(*where);
    held_[job.job.id] = *where;
    decision.actions.emplace_back(
        Start{.job = job.job.id, .where = *std::move(where), .knobs = {}});
    if (view.explain) decision.because.push_back({job.job.id, reason});
    return true;
  }
  return false;
}

void JobStarter::on(const JobStarted& e) {
  pool_of(e.where).take(e.where);
  held_[e.job] = e.where;
}

void JobStarter::on(const Refused& e) {
  if (const auto* start = std::get_if<Start>(&e.action)) release(start->job);
}

void JobStarter::release(JobId job) {
  const auto held = held_.extract(job);
  PENSTOCK_CHECK(!held.empty());
  pool_of(held.mapped()).give(held.mapped());
}

Pool& JobStarter::pool_of(NodeId node) {
  return *std::ranges::find_if(pools_, [&](const Pool& pool) { return pool.holds(node); });
}

Pool& JobStarter::pool_of(const Placement& where) {
  return pool_of(cluster_.node_of[where.front().first.index]);
}

}  // namespace penstock
