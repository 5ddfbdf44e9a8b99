#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/scenario/sections.h"
#include "io/text/nearest.h"

namespace penstock {
namespace {

void read_clock(TableReader& clocks, std::string_view key, std::uint32_t& mhz) {
  if (const auto clock = clocks.quantity(key, Measure::clock, 1))
    mhz = static_cast<std::uint32_t>(std::lround(std::min(clock->value, 1e6)));
}

void read_clocks(TableReader& table, GpuType& type) {
  auto clocks = table.table("clocks", R"({ min = "510 MHz", max = "1410 MHz", step = "15 MHz" })");
  if (!clocks) return;
  read_clock(*clocks, "min", type.min_clock_mhz);
  read_clock(*clocks, "max", type.max_clock_mhz);
  read_clock(*clocks, "step", type.clock_step_mhz);
  if (type.min_clock_mhz > type.max_clock_mhz)
    clocks->problem(
        "", fmt::format("min {} MHz is above max {} MHz", type.min_clock_mhz, type.max_clock_mhz));
  clocks->finish();
}

/// Without a type to be like, these must be given.
void require_numbers(TableReader& table) {
  for (const std::string_view key : {"idle", "peak", "memory"})
    table.require(key, "needed where no like = \"…\" names another type");
}

void read_like(TableReader& table, const Draft& draft, GpuType& type) {
  std::string like;
  if (!table.text("like", like)) return require_numbers(table);
  const GpuType* other = find_type(draft.types, like);
  if (!other) return table.problem("like", no_such_type(draft.types, like));
  type = *other;
}

GpuType read_gpu_type(TableReader& table, const Draft& draft) {
  GpuType type;
  read_like(table, draft, type);
  type.source = "scenario" + (type.source.empty() ? "" : "; else " + type.source);
  type.name.clear();
  if (table.require("name")) table.text("name", type.name);
  read_watts(table, "idle", type.idle);
  read_watts(table, "peak", type.peak);
  read_watts(table, "sleep", type.sleep);
  if (const auto memory = table.quantity("memory", Measure::memory, 0))
    type.memory_gib = memory->value;
  read_clocks(table, type);
  if (type.idle > type.peak)
    table.problem("idle", fmt::format("{} W is above the peak of {} W", type.idle.value(),
                                      type.peak.value()));
  table.finish();
  return type;
}

}  // namespace

const GpuType* find_type(const std::vector<GpuType>& types, std::string_view name) {
  const auto found = std::ranges::find(types, name, &GpuType::name);
  return found == types.end() ? nullptr : &*found;
}

std::string no_such_type(const std::vector<GpuType>& types, std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(types.size());
  for (const GpuType& type : types) names.push_back(type.name);
  return fmt::format("there is no GPU type '{}'; there are: {}{}", name, fmt::join(names, " "),
                     did_you_mean(name, names));
}

void read_watts(TableReader& table, std::string_view key, Watts& watts) {
  if (const auto power = table.quantity(key, Measure::power, 0)) watts = Watts(power->value);
}

void read_gpu_types(TableReader& root, Draft& draft) {
  const auto catalogue = gpu_catalogue();
  draft.types.assign(catalogue.begin(), catalogue.end());
  for (TableReader& table : root.tables("gpu_type")) {
    GpuType type = read_gpu_type(table, draft);
    if (type.name.empty()) continue;
    if (find_type(draft.types, type.name))
      table.problem("name", fmt::format("there is already a GPU type '{}'", type.name));
    else
      draft.types.push_back(std::move(type));
  }
}

}  // namespace penstock
