#include <fmt/format.h>

#include "app/study_geo_methods.h"
#include "app/study_geo_scores.h"
#include "report/spread.h"

namespace penstock {
namespace {

/// Utilities of one router by stretch, with persistence and with day-ahead prices.
struct Pairs {
  GeoScores::Values before{};
  GeoScores::Values after{};
  GeoScores::Values differences{};
};

Pairs pairs_of(const GeoScores& scores, std::string_view method) {
  Pairs pairs;
  for (const GeoCase* each : scores.cases()) {
    const RunSummary* run = find_run(each->day_ahead, method);
    if (run == nullptr) continue;
    pairs.before.push_back(each->run(method).utility.value_or(0));
    pairs.after.push_back(run->utility.value_or(0));
    pairs.differences.push_back(pairs.after.back() - pairs.before.back());
  }
  return pairs;
}

}  // namespace

std::string forecasts_table(const GeoScores& scores) {
  std::string text = fmt::format(
      "Utility with other forecasts of prices: persistence everywhere, or day-ahead prices of the "
      "European sites once they are out (13:00 there)\n\n{:<18}{:>12}{:>12}{:>20}\n",
      "router", "persistence", "day-ahead", "difference");
  for (const std::string_view method : forecasting_routers()) {
    const Pairs pairs = pairs_of(scores, method);
    if (pairs.before.empty() || method == "local") continue;
    const Spread spread = spread_of(pairs.differences);
    text += fmt::format("{:<18}{:>12.4f}{:>12.4f}{:>20}\n", method, spread_of(pairs.before).mean,
                        spread_of(pairs.after).mean,
                        fmt::format("{:+.4f} ±{:.4f}", spread.mean, spread.half));
  }
  return text + "\n";
}

}  // namespace penstock
