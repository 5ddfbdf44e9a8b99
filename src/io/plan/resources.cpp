// GPUcosts and GPUfractions: what is known of GPU types.
#include <fmt/format.h>

#include <algorithm>

#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::uint32_t kMostGpusOfNode = 10'000;  // of one node
constexpr double kMostCost = 1e9;
constexpr auto kFractionKeys = std::to_array<std::string_view>({"inflation", "memory"});

void read_cost_table(ObjectReader& reader, std::vector<std::optional<double>>& cost) {
  for (auto entry = reader.first(); entry; entry = entry->next()) {
    const auto gpus = gpu_count(entry->key());
    if (!gpus) {
      reader.problem(entry->key(),
                     fmt::format("is not a number of used GPUs, from 1 to {}", kMostGpusOfNode));
      continue;
    }
    const auto money = reader.number(entry->key(), {.most = kMostCost});
    if (!money) continue;
    if (cost.size() <= *gpus) cost.resize(*gpus + 1);
    cost[*gpus] = money;
  }
}

void refuse_falling(ObjectReader& reader, const std::vector<std::optional<double>>& cost) {
  std::size_t before = 0;
  for (std::size_t gpus = 1; gpus < cost.size(); ++gpus) {
    if (!cost[gpus]) continue;
    if (before != 0 && *cost[gpus] < *cost[before])
      reader.problem(std::to_string(gpus),
                     fmt::format("is {}, less than the {} of {} used GPUs; more GPUs must not "
                                 "cost less",
                                 *cost[gpus], *cost[before], before));
    before = gpus;
  }
}

void read_fraction(ObjectReader& type, JsonValue entry, PlannedType& known) {
  const auto place = std::ranges::find(kFractions, entry.key());
  if (place == kFractions.end())
    return type.problem(entry.key(), "is not a fraction that can be planned with; there are: " +
                                         listed(kFractions));
  auto reader = type.inner(entry, kFractionKeys);
  if (!reader) return;
  const auto inflation = reader->number("inflation", {.least = 1, .most = 1000});
  const auto memory = reader->number("memory", {.most = 1e6, .above = true});
  if (inflation && memory)
    known.fractions[static_cast<std::size_t>(place - kFractions.begin())] =
        GpuFraction{.inflation = *inflation, .memory = *memory};
}

}  // namespace

std::optional<std::uint32_t> gpu_count(std::string_view key) {
  if (key.starts_with('0') || key.starts_with('-')) return std::nullopt;
  const auto count = parse_number<std::uint32_t>(key);
  return count && *count <= kMostGpusOfNode ? std::optional(*count) : std::nullopt;
}

void read_costs(ObjectReader& root, PlanDraft& draft) {
  auto costs = root.object("GPUcosts");
  if (!costs) return;
  for (auto entry = costs->first(); entry; entry = entry->next()) {
    auto reader = costs->inner(*entry);
    if (!reader) continue;
    draft.type_places.emplace(entry->key(), draft.types.size());
    draft.type_names.push_back(entry->key());
    PlannedType& type = draft.types.emplace_back();
    read_cost_table(*reader, type.cost);
    refuse_falling(*reader, type.cost);
  }
  draft.request.problem.types = static_cast<std::uint32_t>(draft.types.size());
}

void read_fractions(ObjectReader& root, PlanDraft& draft) {
  if (!root.has("GPUfractions")) return;
  auto fractions = root.object("GPUfractions");
  if (!fractions) return;
  draft.request.problem.slices = kSlices;
  for (auto entry = fractions->first(); entry; entry = entry->next()) {
    const auto place = draft.type_places.find(entry->key());
    if (place == draft.type_places.end()) {
      fractions->problem(entry->key(),
                         "has no costs in GPUcosts; there are: " + listed(draft.type_names) +
                             did_you_mean(entry->key(), draft.type_names));
      continue;
    }
    auto type = fractions->inner(*entry);
    if (!type) continue;
    for (auto part = type->first(); part; part = part->next())
      read_fraction(*type, *part, draft.types[place->second]);
  }
}

// nodes, and what their GPUs cost once it is known who holds them.
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
