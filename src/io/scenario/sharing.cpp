// Shared GPUs: `share` of [[site.nodes]], and [workload.sharing].
#include "model/sharing.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/sections.h"

namespace penstock {
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

std::uint32_t read_share(TableReader& nodes, Draft& draft) {
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

void read_sharing(TableReader& root, Draft& draft) {
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
