#include "policies/andreas/shapes.h"

#include <algorithm>

namespace penstock {
namespace {

std::vector<std::uint32_t> sizes_up_to(std::uint32_t largest, std::uint32_t share) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t part = 1; part < share; part *= 2) sizes.push_back(part);
  for (std::uint32_t gpus = 1; gpus * share <= largest; gpus += gpus < 8 ? 1 : gpus)
    sizes.push_back(gpus * share);
  return sizes;
}

bool runs_so(const Job& job, const Profile* profile, std::uint32_t gpus) {
  if (gpus == job.gpus) return true;
  return profile != nullptr && runs(*profile, {.gpus = gpus, .batch = job.batch});
}

}  // namespace

Shapes::Shapes(const Cluster& cluster) : largest_(cluster.types.size(), 0) {
  for (const Node& node : cluster.nodes)
    largest_[node.type.index] = std::max(largest_[node.type.index], node.gpus);
  for (const std::uint32_t largest : largest_)
    sizes_.push_back(sizes_up_to(largest, cluster.share));
}

std::vector<std::uint32_t> Shapes::sizes_for(const Job& job, GpuTypeId type,
                                             const Models& models) const {
  std::vector<std::uint32_t> suitable;
  if ((job.gpu_types >> type.index & 1) == 0) return suitable;
  const Profile* profile = models.find(job, type);
  for (const std::uint32_t gpus : sizes_[type.index])
    if (runs_so(job, profile, gpus)) suitable.push_back(gpus);
  if (job.gpus <= largest_[type.index] && std::ranges::find(suitable, job.gpus) == suitable.end())
    suitable.push_back(job.gpus);
  return suitable;
}

bool Shapes::is_wide(const JobState& state, const View& view) const {
  if (state.phase == Phase::running) return node_count(state.where, view.state.cluster()) > 1;
  for (std::uint32_t i = 0; i < largest_.size(); ++i) {
    const GpuTypeId type{i};
    if ((state.job.gpu_types >> i & 1) == 0) continue;
    if (state.job.gpus <= largest_[i]) return false;
    const Profile* profile = view.models.find(state.job, type);
    const auto runs = [&](std::uint32_t gpus) { return runs_so(state.job, profile, gpus); };
    if (std::ranges::any_of(sizes_[i], runs)) return false;
  }
  return true;
}

}  // namespace penstock
