#include "live/site/run_recorder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/job/ended_entry.h"

namespace penstock {
namespace {

constexpr Duration kWholeSecond = std::chrono::seconds(1);

}  // namespace

Pace PaceModel::modelled(const TrackedJob& job) const {
  const Cluster& cluster = site_.context.cluster;
  const LiveBeliefs& beliefs = site_.context.beliefs;
  const GpuType& type = site_.type_of(job.where);
  const Pace rigid{Speed(1), type.peak * gpu_count(job.where)};
  if (job.kind.empty()) return rigid;
  const UserOptions::Bounds bounds =
      job.user_options.gpus.value_or(UserOptions::Bounds{job.asked, job.asked});
  const double batch = job.user_options.batch.value_or(beliefs.usual_batch(job.kind, job.asked));
  const auto row = site_.context.beliefs.row({job.kind, bounds.least, bounds.most, batch});
  const Profile* profile =
      row ? beliefs.models().find(*row, site_.node_of(job.where).type) : nullptr;
  if (profile == nullptr) return rigid;
  const double clock = type.max_clock_mhz > 0 && job.clock_mhz > 0
                           ? static_cast<double>(job.clock_mhz) / type.max_clock_mhz
                           : 1;
  const Config config{.gpus = gpu_count(job.where),
                      .nodes = node_count(job.where, cluster),
                      .batch = batch,
                      .clock = clock};
  return {Speed(throughput(*profile, config) / 1e3), penstock::draw(*profile, config)};
}

Watts PaceModel::draw(const TrackedJob& job, Time now) const {
  const Agents* agents = site_.context.agents;
  const auto drawn = agents == nullptr ? std::nullopt : agents->draw(job.held, {job.settled, now});
  return drawn.value_or(modelled(job).draw);
}

Watts PaceModel::draw_per_gpu(const TrackedJob& job) const {
  if (!job.where.empty()) return modelled(job).draw * (1.0 / gpu_count(job.where));
  if (job.seen.nodes.empty()) return {};
  const auto node = site_.mirror.find(job.seen.nodes.front());
  return node ? site_.context.cluster.type(site_.context.cluster.node(*node)).peak : Watts{};
}

/// Slurm's times are whole seconds; over a submission and a start what that adds and takes is even.
/// A job that was submitted while nobody looked is told no later than the next poll would have.
std::optional<Duration> RunRecorder::start_lag(const TrackedJob& job) const {
  if (!job.start_asked || !job.seen.started) return std::nullopt;
  Duration lag = *job.seen.started - *job.start_asked;
  if (job.runs_seen.empty() && job.known_since && job.seen.submitted)
    lag += std::min(*job.known_since - *job.seen.submitted, site_.options.poll + kWholeSecond);
  if (lag > site_.options.start_timeout) return std::nullopt;  // something else kept it
  return std::max(lag, Duration::zero());
}

void RunRecorder::begin(TrackedJob& job) const {
  const SlurmJob& seen = job.seen;
  if (!seen.started) return;
  if (!job.runs_seen.empty() && !job.runs_seen.back().ended) {
    if (job.runs_seen.back().started == *seen.started) return;
    job.runs_seen.back().ended = *seen.started;
  }
  if (!job.runs_seen.empty() && job.runs_seen.back().started == *seen.started) return;
  const std::uint32_t held = seen.gpus_held_count();
  std::string type = seen.gpus_held.empty() ? seen.gpu_type : seen.gpus_held.front().type;
  if (const auto node = seen.nodes.empty() ? std::nullopt : site_.mirror.find(seen.nodes.front()))
    type = site_.context.cluster.type(site_.context.cluster.node(*node)).name;
  job.runs_seen.push_back({.started = *seen.started,
                           .gpus = held > 0             ? held
                                   : !job.where.empty() ? gpu_count(job.where)
                                                        : seen.gpus,
                           .nodes = seen.nodes,
                           .type = type,
                           .clock_mhz = job.clock_mhz,
                           .lag = start_lag(job)});
  job.start_asked.reset();
  job.progress.clear();
}

void RunRecorder::watch(TrackedJob& job, const LiveRun::Watched& watched) {
  if (job.runs_seen.empty() || job.runs_seen.back().ended || job.runs_seen.back().watched) return;
  job.runs_seen.back().watched = watched;
}

void RunRecorder::end(TrackedJob& job, Time now) {
  if (job.runs_seen.empty() || job.runs_seen.back().ended) return;
  LiveRun& run = job.runs_seen.back();
  run.ended = std::max(now, run.started);
  if (last_progress_)
    if (const auto said = last_progress_(job, now)) job.progress.push_back(*said);
  if (job.work > 0 && job.seen.state == "completed")
    run.done = job.work;
  else if (!job.progress.empty())
    run.done = job.progress.back().saved.value_or(job.progress.back().done);
  else if (job.work > 0)
    run.done = job.done_before + done_by(job, *run.ended);
  site_.journal.note(now, job, "run", run_detail(job.seen.ref, run));
}

double RunRecorder::done_by(const TrackedJob& job, Time now) const {
  if (!job.progress.empty())
    return job.progress.back().saved.value_or(job.progress.back().done) - job.done_before;
  const Time started = job.runs_seen.empty() ? now : job.runs_seen.back().started;
  const double passed = std::max(0.0, seconds(now - started));
  if (job.kind.empty()) return passed * 1e3;  // the work of rigid jobs is milliseconds
  if (job.where.empty()) return 0;
  const double per_second = (pace_.modelled(job).speed * std::chrono::seconds(1)).value();
  return std::min(saved_in_runs(job) + passed * per_second, job.work - job.done_before);
}

}  // namespace penstock
