// How the kinds of an ANDREAS table lie on the machines of a cluster.
#include <algorithm>
#include <map>

#include "io/text/letter_case.h"
#include "io/traces/andreas_table.h"

namespace penstock {
namespace {

const GpuType* find_type(const Cluster& cluster, std::string_view name) {
  const auto found = std::ranges::find_if(
      cluster.types, [&](const GpuType& type) { return same_but_for_case(type.name, name); });
  return found == cluster.types.end() ? nullptr : &*found;
}

/// GPUs of the largest node of each type.
std::vector<std::uint32_t> largest_nodes(const Cluster& cluster) {
  std::vector<std::uint32_t> gpus(cluster.types.size(), 0);
  for (const Node& node : cluster.nodes)
    gpus[node.type.index] = std::max(gpus[node.type.index], node.gpus / cluster.share);
  return gpus;
}

/// The ways of a kind that the cluster has machines for: by type, then by GPUs.
using Ways = std::map<GpuTypeId, std::map<std::uint32_t, double>>;

Ways ways_of(const AndreasKind& kind, const Cluster& cluster) {
  const auto largest = largest_nodes(cluster);
  Ways ways;
  for (const AndreasTime& time : kind.times) {
    const GpuType* type = find_type(cluster, time.gpu);
    if (type == nullptr) continue;
    const GpuTypeId id{static_cast<std::uint32_t>(type - cluster.types.data())};
    if (time.gpus <= largest[id.index]) ways[id][time.gpus] = time.seconds;
  }
  return ways;
}

}  // namespace

std::vector<Profile> andreas_profiles(const AndreasTable& table, const Cluster& cluster) {
  std::vector<Profile> profiles;
  for (const AndreasKind& kind : table.kinds) {
    std::map<std::string, std::vector<std::pair<std::uint32_t, double>>> by_type;
    for (const AndreasTime& time : kind.times)
      by_type[time.gpu].emplace_back(time.gpus, time.seconds);
    for (const auto& [gpu, times] : by_type) {
      const GpuType* type = find_type(cluster, gpu);
      Profile profile = table_profile(kind.name, type ? type->name : gpu, times);
      if (type != nullptr) profile.power.p0 = type->peak * cluster.share;
      profile.memory_gib = kind.memory_gib;
      profile.source = "measured by the authors of ANDREAS: " + table.file;
      profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

AndreasFit fit_to_cluster(const AndreasKind& kind, const Cluster& cluster) {
  AndreasFit fit;
  const Ways ways = ways_of(kind, cluster);
  if (ways.empty()) return fit;
  const auto& [gpus, asked] = *ways.begin()->second.begin();
  fit.gpus = gpus;
  fit.asked = fit.single = fit.least = fit.most = asked;
  for (const auto& [type, times] : ways) {
    fit.types.push_back(type);
    for (const auto& [count, seconds] : times) {
      fit.least = std::min(fit.least, seconds);
      fit.most = std::max(fit.most, seconds);
      if (count == fit.gpus) fit.single = std::min(fit.single, seconds);
    }
  }
  return fit;
}

}  // namespace penstock
