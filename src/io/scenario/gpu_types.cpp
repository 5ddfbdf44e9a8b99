#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/scenario/sections.h"
#include "io/text/nearest.h"
#include "model/sharing.h"

namespace penstock {
namespace {

void read_gpu_clock(TableReader& clocks, std::string_view key, std::uint32_t& mhz) {
  if (const auto clock = clocks.quantity(key, Measure::clock, 1))
    mhz = static_cast<std::uint32_t>(std::lround(std::min(clock->value, 1e6)));
}

void read_gpu_clocks(TableReader& table, GpuType& type) {
  auto clocks = table.table("clocks", R"({ min = "510 MHz", max = "1410 MHz", step = "15 MHz" })");
  if (!clocks) return;
  read_gpu_clock(*clocks, "min", type.min_clock_mhz);
  read_gpu_clock(*clocks, "max", type.max_clock_mhz);
  read_gpu_clock(*clocks, "step", type.clock_step_mhz);
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

void read_like(TableReader& table, const ScenarioDraft& draft, GpuType& type) {
  std::string like;
  if (!table.text("like", like)) return require_numbers(table);
  const GpuType* other = find_type(draft.types, like);
  if (!other) return table.problem("like", no_such_type(draft.types, like));
  type = *other;
}

GpuType read_gpu_type(TableReader& table, const ScenarioDraft& draft) {
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
  read_gpu_clocks(table, type);
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

void read_gpu_types(TableReader& root, ScenarioDraft& draft) {
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

// Shared GPUs: `share` of [[site.nodes]], and [workload.sharing].
namespace {

constexpr double kMostInflation = 100;
/// What keys call the parts that Inflation lists.
constexpr std::array<std::string_view, 4> kParts = {"1", "0.5", "0.25", "0.125"};

/// The parts that are listed are those that there are.
void read_inflation(TableReader& sharing, std::uint32_t share, Inflation& inflation) {
  auto table = sharing.table("inflation", R"({ "0.25" = 1.11, "0.5" = 1.05 })");
  if (!table) return;
  inflation = {1};
  for (std::size_t k = 1; k < kParts.size(); ++k) {
    if (table->number(kParts[k], inflation[k], {.least = 1, .most = kMostInflation}) &&
        share < 1u << k)
      table->problem(kParts[k], fmt::format("of a GPU needs nodes with share = {} or more; it is "
                                            "{}",
                                            1u << k, share));
  }
  table->finish();
}

bool all_by_tables(const WorkloadSpec& workload) {
  return !workload.profiles.empty() && std::ranges::all_of(workload.profiles, &Profile::is_table);
}

}  // namespace

std::uint32_t read_share(TableReader& nodes, ScenarioDraft& draft) {
  std::uint32_t share = 1;
  if (nodes.whole("share", share) && share != 1 && share != 2 && share != 4 && share != 8) {
    nodes.problem("share", fmt::format("must be 1, 2, 4 or 8, not {}", share));
    return 1;
  }
  if (!draft.share) draft.share = share;
  if (share != *draft.share)
    nodes.problem("share", fmt::format("is {}, but {} for nodes before; GPUs of a scenario are all "
                                       "shared alike",
                                       share, *draft.share));
  draft.scenario.cluster.share = *draft.share;
  return *draft.share;
}

void read_sharing(TableReader& root, ScenarioDraft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  const Cluster& cluster = draft.scenario.cluster;
  WorkloadSpec& ours = draft.scenario.workload;
  Inflation inflation = kUsualInflation;
  if (auto table = workload.table("sharing", R"({ inflation = { "0.5" = 1.05 } })")) {
    if (cluster.share == 1)
      return workload.problem("sharing", "needs nodes with share = 2, 4 or 8");
    read_inflation(*table, cluster.share, inflation);
    table->finish();
  }
  if (cluster.share == 1 || !draft.problems.empty()) return;
  if (ours.generate || !all_by_tables(ours))
    return workload.problem(
        ours.generate ? "generate" : "profiles",
        "GPUs are shared, so it must be known how long jobs take on parts of them; possible: nodes "
        "with share = 1, format = \"andreas\", or a trace with models of seconds_per_epoch alone");
  for (Profile& profile : ours.profiles)
    if (const GpuType* slice = find_type(cluster.types, profile.gpu))
      profile = profile_by_slices(profile, *slice, cluster.share, inflation);
}

}  // namespace penstock
