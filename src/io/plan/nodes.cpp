// nodes, and what their GPUs cost once it is known who holds them.
#include <fmt/format.h>

#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kNodeKeys =
    std::to_array<std::string_view>({"GPUtype", "free_nGPUs", "total_nGPUs", "cost"});

std::optional<std::uint32_t> read_type(ObjectReader& reader, const PlanDraft& draft) {
  const auto name = reader.text("GPUtype");
  if (!name) return std::nullopt;
  const auto place = draft.type_places.find(*name);
  if (place != draft.type_places.end()) return place->second;
  reader.problem("GPUtype",
                 fmt::format("{} has no costs in GPUcosts; there are: {}{}", in_quotes(*name),
                             listed(draft.type_names), did_you_mean(*name, draft.type_names)));
  return std::nullopt;
}

std::optional<NodeCount> read_counts(ObjectReader& reader) {
  const auto total = reader.whole("total_nGPUs", {.least = 1, .most = 10'000});
  const auto free = reader.whole("free_nGPUs", {.most = 10'000});
  const auto cost = reader.number("cost", {.most = 1e9});
  if (!total || !free || !cost) return std::nullopt;
  if (*free > *total) {
    reader.problem("free_nGPUs", fmt::format("{} are more than total_nGPUs, {}", *free, *total));
    return std::nullopt;
  }
  return NodeCount{.free = static_cast<std::uint32_t>(*free),
                   .total = static_cast<std::uint32_t>(*total),
                   .cost = *cost};
}

void add_node(ObjectReader& nodes, JsonValue entry, PlanDraft& draft) {
  auto reader = nodes.inner(entry, kNodeKeys);
  if (reader) {
    const auto type = read_type(*reader, draft);
    const auto count = read_counts(*reader);
    if (type && count) {
      PlannedType& known = draft.types[*type];
      if (count->total > known.most) {
        known.most = count->total;
        known.largest = entry.key();
      }
      draft.node_places.emplace(entry.key(), draft.counts.size());
      draft.node_names.push_back(entry.key());
      draft.counts.push_back(*count);
      draft.request.problem.nodes.push_back({.name = std::string(entry.key()), .type = *type});
      return;
    }
  }
  draft.sound_nodes = false;
}

/// Every node has a cost for each number of its GPUs that can be in use.
void require_costs(ObjectReader& root, const PlanDraft& draft) {
  auto costs = root.object("GPUcosts");
  if (!costs) return;
  for (std::size_t i = 0; i < draft.types.size(); ++i) {
    const PlannedType& type = draft.types[i];
    for (std::uint32_t gpus = 1; gpus <= type.most; ++gpus) {
      if (gpus < type.cost.size() && type.cost[gpus]) continue;
      costs->problem(draft.type_names[i],
                     fmt::format("has no cost of {} used GPUs; node {} needs 1 to {}", gpus,
                                 in_quotes(type.largest), type.most));
      break;
    }
  }
}

/// With `others` GPUs in other hands, what it costs to use so many more.
std::vector<double> cost_table(const PlannedType& type, const NodeCount& count,
                               std::uint32_t gpus) {
  const std::uint32_t others = count.total - gpus;
  const auto rate = [&](std::uint32_t used) {
    return used == 0 ? 0.0 : type.cost[used].value_or(0) + count.cost;
  };
  std::vector<double> table;
  table.reserve(gpus + 1);
  for (std::uint32_t used = 0; used <= gpus; ++used)
    table.push_back(rate(used + others) - rate(others));
  return table;
}

}  // namespace

void read_nodes(ObjectReader& root, PlanDraft& draft) {
  auto nodes = root.object("nodes");
  draft.sound_nodes = nodes.has_value();
  if (!nodes) return;
  for (auto entry = nodes->first(); entry; entry = entry->next()) add_node(*nodes, *entry, draft);
  if (root.has("GPUcosts")) require_costs(root, draft);
}

void settle_nodes(ObjectReader& root, PlanDraft& draft) {
  JointProblem& problem = draft.request.problem;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const NodeCount& count = draft.counts[i];
    const std::uint64_t held = (count.running + problem.slices - 1) / problem.slices;
    if (held + count.free > count.total)
      root.problem("nodes." + problem.nodes[i].name + ".free_nGPUs",
                   fmt::format("{} free and {} held by currentScheduling are more than "
                               "total_nGPUs, {}",
                               count.free, held, count.total));
    if (!root.problems().empty()) continue;
    problem.nodes[i].gpus = count.free + static_cast<std::uint32_t>(held);
    problem.nodes[i].cost =
        cost_table(draft.types[problem.nodes[i].type], count, problem.nodes[i].gpus);
  }
}

}  // namespace penstock
