#include "serve/job_sight.h"

#include <fmt/format.h>

#include "policy/words.h"

namespace penstock {
namespace {

constexpr Duration kFresh = std::chrono::minutes(1);  ///< said longer ago: shown with the time

}  // namespace

std::string JobSight::said_of(JobId job) const {
  const WaitReasons::Said* said = waits_ == nullptr ? nullptr : waits_->find(job);
  if (said == nullptr) return "";
  if (now_ - said->when <= kFresh) return said->text;
  return fmt::format("{} (at {})", said->text, clock_word(said->when, now_));
}

std::string JobSight::why_waiting(const JobState& job, SiteId site) const {
  if (job.phase != Phase::queued) return "";
  if (std::string said = said_of(job.job.id); !said.empty()) return said;
  return fmt::format("waits for its turn: asks for {}, {} free", gpus_word(job.job.gpus),
                     free_gpus(site, job.job.gpu_types));
}

std::uint32_t JobSight::free_gpus(SiteId site, std::uint64_t gpu_types) const {
  const auto [at, is_new] = free_.try_emplace({site, gpu_types}, 0);
  if (!is_new) return at->second;
  const Cluster& cluster = state_->cluster();
  const Site& place = cluster.sites[site.index];
  for (std::uint32_t i = 0; i < place.nodes; ++i) {
    const NodeId id{place.first_node.index + i};
    const bool suits = (gpu_types >> cluster.node(id).type.index & 1) != 0;
    if (suits && state_->node(id).phase != NodePhase::down) at->second += state_->node(id).free;
  }
  return at->second;
}

}  // namespace penstock
