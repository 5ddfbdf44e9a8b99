#include "app/home_run.h"

#include <algorithm>

#include "report/utility.h"

namespace penstock {
namespace {

/// The same policy at each site, but everybody stays at home.
PolicyChoice at_home(const PolicyChoice& choice) {
  PolicyChoice home{.name = "geo", .options = {{"router", "local"}}};
  for (const auto& [name, value] : choice.options)
    if (name == "site" || name.starts_with("site.")) home.options.emplace(name, value);
  return home;
}

bool same(const PolicyChoice& a, const PolicyChoice& b) {
  return a.name == b.name && a.options == b.options;
}

}  // namespace

Result<RunSummary> run_at_home(const Prepared& prepared, const PolicyChoice& first) {
  return run_one({.prepared = prepared, .policy = at_home(first)});
}

Result<Done> add_utilities(const std::vector<RunRequest>& runs,
                           std::vector<RunSummary>& summaries) {
  std::optional<RunSummary> local;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Prepared& prepared = runs[i].prepared;
    if (prepared.scenario.cluster.network.empty()) continue;
    if (i == 0 || &prepared != &runs[i - 1].prepared) {
      const PolicyChoice home = at_home(runs[i].policy);
      const auto found = std::ranges::find_if(runs, [&](const RunRequest& run) {
        return &run.prepared == &prepared && same(run.policy, home);
      });
      if (found != runs.end()) {
        local = summaries[static_cast<std::size_t>(found - runs.begin())];
      } else {
        auto extra = run_at_home(prepared, runs[i].policy);
        if (!extra) return std::move(extra).error();
        local = *std::move(extra);
      }
    }
    fill_utility(summaries[i], *local, prepared.scenario.utility);
  }
  return Done{};
}

}  // namespace penstock
