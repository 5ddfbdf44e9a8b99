#include <fmt/format.h>

#include "app/study_geo_methods.h"
#include "app/study_geo_scores.h"
#include "report/measures/statistics.h"

namespace penstock {
namespace {

/// Utilities of one router by stretch, with persistence and with day-ahead prices.
struct Pairs {
  GeoScores::Values before{};
  GeoScores::Values after{};
  GeoScores::Values differences{};
  GeoScores::Values over_simple{};  ///< gained with day-ahead prices over a router that needs none
  GeoScores::Values over_mpc{};     ///< the same over mpc, which knows them too
};

Pairs pairs_of(const GeoScores& scores, std::string_view method, const std::string& simple) {
  Pairs pairs;
  for (const GeoCase* each : scores.cases()) {
    const RunSummary* run = find_run(each->day_ahead, method);
    if (run == nullptr) continue;
    pairs.before.push_back(each->run(method).utility.value_or(0));
    pairs.after.push_back(run->utility.value_or(0));
    pairs.differences.push_back(pairs.after.back() - pairs.before.back());
    pairs.over_simple.push_back(
        utility_gain(pairs.after.back(), each->run(simple).utility.value_or(0)));
    if (const RunSummary* mpc = find_run(each->day_ahead, "mpc"); mpc != nullptr)
      pairs.over_mpc.push_back(utility_gain(pairs.after.back(), mpc->utility.value_or(0)));
  }
  return pairs;
}

}  // namespace

std::string forecasts_table(const GeoScores& scores) {
  const std::string simple = scores.best_simple();
  std::string text = fmt::format(
      "Utility with other forecasts of prices: persistence everywhere, or day-ahead prices of the "
      "European sites once they are out (13:00 there)\n\n{:<18}{:>12}{:>12}{:>20}{:>34}{:>20}\n",
      "router", "persistence", "day-ahead", "difference", fmt::format("day-ahead over {}", simple),
      "over mpc with it");
  for (const std::string_view method : forecasting_routers()) {
    const Pairs pairs = pairs_of(scores, method, simple);
    if (pairs.before.empty() || method == "local") continue;
    const Spread spread = spread_of(pairs.differences);
    text += fmt::format("{:<18}{:>12.4f}{:>12.4f}{:>20}{:>34}{:>20}\n", method,
                        spread_of(pairs.before).mean, spread_of(pairs.after).mean,
                        fmt::format("{:+.4f} ±{:.4f}", spread.mean, spread.half),
                        gain_text(pairs.over_simple), gain_text(pairs.over_mpc));
  }
  return text + "\n";
}

}  // namespace penstock
