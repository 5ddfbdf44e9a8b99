#include "policies/geo/router.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

/// The type of a site's GPUs that the job would run on: of those with enough of them, the first.
std::optional<GpuTypeId> type_for(const Job& job, SiteId site, const Cluster& cluster) {
  std::array<std::uint32_t, 64> gpus{};
  const Site& place = cluster.sites[site.index];
  for (std::uint32_t i = 0; i < place.nodes; ++i) {
    const Node& node = cluster.nodes[place.first_node.index + i];
    if ((job.gpu_types >> node.type.index & 1) == 0) continue;
    gpus[node.type.index] += node.gpus;
    if (gpus[node.type.index] >= job.gpus) return node.type;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Stay> stay_at(const JobState& job, SiteId site, const Cluster& cluster,
                            const Models& models) {
  const bool can_go = job.at == kNoSite || job.at == site ||
                      (!cluster.network.empty() && cluster.network.joins(job.at, site));
  if (!can_go) return std::nullopt;
  const auto type = type_for(job.job, site, cluster);
  if (!type) return std::nullopt;
  const GpuType& gpu = cluster.types[type->index];
  Stay stay{.run = job.remaining_request(), .draw = (gpu.peak - gpu.idle) * job.job.gpus};
  if (job.at != kNoSite && job.at != site) {
    stay.gigabytes = job.gigabytes();
    stay.delay = cluster.network.delay(job.at, site, stay.gigabytes);
  }
  if (const Profile* profile = models.find(job.job, *type)) {
    const Config config{.gpus = job.job.gpus, .nodes = 1, .batch = job.job.batch};
    stay.run = (job.job.work - job.done) / Speed(throughput(*profile, config) / 1e3);
    stay.draw = std::max(draw(*profile, config) - gpu.idle * job.job.gpus, Watts(0));
  }
  stay.run = std::max(stay.run, Duration(1));
  return stay;
}

}  // namespace penstock
