// GPUcosts and GPUfractions: what is known of GPU types.
#include <fmt/format.h>

#include <algorithm>

#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::uint32_t kMostGpus = 10'000;  // of one node
constexpr double kMostCost = 1e9;
constexpr auto kFractionKeys = std::to_array<std::string_view>({"inflation", "memory"});

void read_cost_table(ObjectReader& reader, std::vector<std::optional<double>>& cost) {
  for (auto entry = reader.first(); entry; entry = entry->next()) {
    const auto gpus = gpu_count(entry->key());
    if (!gpus) {
      reader.problem(entry->key(),
                     fmt::format("is not a number of used GPUs, from 1 to {}", kMostGpus));
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
  return count && *count <= kMostGpus ? std::optional(*count) : std::nullopt;
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

}  // namespace penstock
