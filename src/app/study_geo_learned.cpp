#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/study_geo_methods.h"
#include "app/study_geo_scores.h"
#include "report/measures/statistics.h"

namespace penstock {
namespace {

/// The mean part of the way to the bound, or a dash if nobody has asked for the bound.
std::string way_text(const GeoScores& scores, std::string_view method) {
  const double way = spread_of(scores.ways(method)).mean;
  return std::isnan(way) ? "-" : fmt::format("{:.1f} %", 100 * way);
}

std::string row(const GeoScores& scores, const std::string& method, const std::string& simple) {
  const auto mean = [&](GeoScores::Field field) { return scores.mean(method, field); };
  return fmt::format("{:<18}{:>9.3f}{:>12.3f}{:>8.3f}{:>8.3f}{:>10.3f}{:>8.3f}{:>20}{:>20}{:>14}\n",
                     method, mean(&RunSummary::utility), mean(&RunSummary::gpu_utilization),
                     mean(&RunSummary::relative_cost), mean(&RunSummary::relative_carbon),
                     mean(&RunSummary::relative_transfer), mean(&RunSummary::late_share),
                     gain_text(scores.gains(method, simple)),
                     gain_text(scores.gains(method, "mpc")), way_text(scores, method));
}

/// The root of the mean squared distance from the mean, as of a sample.
double deviation(const std::vector<double>& values) {
  const double mean = spread_of(values).mean;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// marl and its other seeds as one: what a training brings by chance.
std::string seeds_text(const GeoScores& scores, const std::string& simple) {
  std::vector<double> utilities;
  std::vector<double> gains;
  for (const std::string& method : scores.methods()) {
    if (method != "marl" && !is_marl_seed(method)) continue;
    utilities.push_back(scores.mean(method, &RunSummary::utility));
    gains.push_back(spread_of(scores.gains(method, simple)).mean);
  }
  if (utilities.size() < 2) return "marl has one seed only: what chance does to it is not known.\n";
  const auto [least, most] = std::ranges::minmax(utilities);
  return fmt::format(
      "marl, {} seeds: utility {:.3f} on average, deviation {:.3f}, from {:.3f} to {:.3f}; "
      "{:+.1f} % over {}, deviation {:.1f}\n",
      utilities.size(), spread_of(utilities).mean, deviation(utilities), least, most,
      100 * spread_of(gains).mean, simple, 100 * deviation(gains));
}

}  // namespace

std::string learned_table(const GeoScores& scores) {
  const std::string simple = scores.best_simple();
  std::string rows;
  for (const std::string& method : scores.methods())
    if (is_learned_router(method)) rows += row(scores, method, simple);
  std::vector<std::string> missing = learned_routers();
  std::erase_if(missing, [&](const std::string& name) { return scores.has(name); });
  std::string text;
  if (!rows.empty())
    text = fmt::format(
               "Learned routers and what each part is worth; gains are of how far the other's "
               "utility is from 0\n\n{:<18}{:>9}{:>12}{:>8}{:>8}{:>10}{:>8}{:>20}{:>20}{:>14}\n",
               "router", "utility", "utilisation", "cost", "carbon", "transfers", "late",
               "over " + simple, "over mpc", "to the bound") +
           rows + "\n";
  if (scores.has("marl")) text += seeds_text(scores, simple);
  if (!missing.empty())
    text += fmt::format("Not trained (no geo-{}-NAME.safetensors in --weights), so not shown: {}\n",
                        scores.workload(), fmt::join(missing, " "));
  return text + "\n";
}

}  // namespace penstock
