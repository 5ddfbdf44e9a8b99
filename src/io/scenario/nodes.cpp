#include <algorithm>

#include "io/scenario/sections.h"
#include "model/sharing.h"

namespace penstock {
namespace {

constexpr double kMostGpus = 10e6;

/// 1392 W of an idle 8-GPU server less 8 idle GPUs of 58 W (Acme's Seren, 0.1 %
/// quantiles; Hu et al., NSDI'24); estimate for other servers.
constexpr Watts kBasePerGpu(116);
/// 516 W of an idle two-socket server over 128 hardware threads (Acme, as above);
/// estimate for other servers.
constexpr Watts kBasePerCore(4);
constexpr Watts kMostOfACore(20);  ///< a device that peaks below this is taken for a CPU core
constexpr Watts kBaseAsleep(30);   ///< board controller and power supplies; estimate

Watts usual_base(const GpuType& type, std::uint32_t gpus) {
  return (type.peak < kMostOfACore ? kBasePerCore : kBasePerGpu) * gpus;
}

/// The place of a type in the cluster, which holds only those in use.
GpuTypeId use_type(Cluster& cluster, const GpuType& type) {
  auto found = std::ranges::find(cluster.types, type.name, &GpuType::name);
  if (found == cluster.types.end()) found = cluster.types.insert(found, type);
  return {static_cast<std::uint32_t>(found - cluster.types.begin())};
}

std::optional<NodeGroup> read_group(TableReader& table, Draft& draft) {
  NodeGroup group{.count = 1};
  std::string name;
  bool good =
      table.whole("count", group.count, {.least = 1, .most = kMostGpus}) || !table.has("count");
  good =
      table.require("gpus") && table.whole("gpus", group.gpus, {.least = 1, .most = 4096}) && good;
  good = table.require("gpu") && table.text("gpu", name) && good;
  table.whole("rack", group.rack, {.least = 1});
  const GpuType* type = find_type(draft.types, name);
  if (!type && !name.empty()) table.problem("gpu", no_such_type(draft.types, name));
  if (type) group.base = usual_base(*type, group.gpus);
  read_watts(table, "base_power", group.base);
  group.tables = read_node_tables(table, group.gpus, draft);
  const bool tabled = !group.tables.power.empty();
  group.base_sleep = std::min(kBaseAsleep, tabled ? group.tables.power.front() : group.base);
  read_watts(table, "sleep_power", group.base_sleep);
  if (tabled) group.base = Watts(0);
  const std::uint32_t share = read_share(table, draft);
  table.finish();
  if (!good || !type) return std::nullopt;
  group.gpus *= share;
  group.tables = by_slices(group.tables, share);
  group.type = use_type(draft.scenario.cluster, slice_of(*type, share));
  return group;
}

}  // namespace

void read_nodes(TableReader& site, const std::string& name, Draft& draft) {
  std::vector<NodeGroup> groups;
  if (!site.require("nodes", "write [[site.nodes]] with count, gpus and gpu")) return;
  Cluster& cluster = draft.scenario.cluster;
  double gpus = cluster.gpu_count();
  for (TableReader& table : site.tables("nodes")) {
    const auto group = read_group(table, draft);
    if (!group) continue;
    gpus += static_cast<double>(group->count) * group->gpus;
    if (gpus > kMostGpus) return table.problem("count", "makes more than 10 million GPUs in all");
    groups.push_back(*group);
  }
  if (cluster.types.size() > 64) return site.problem("nodes", "more than 64 GPU types are in use");
  add_site(cluster, name, groups);
}

}  // namespace penstock
