#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/study_geo_scores.h"
#include "report/measures/statistics.h"

namespace penstock {
namespace {

/// Mean values of one router and weights over the stretches.
struct Point {
  GeoScores::Values costs{};  ///< with transfers
  GeoScores::Values carbons{};
  GeoScores::Values late{};
};

/// By router and weight of carbon.
std::map<std::pair<std::string, double>, Point> points_of(const GeoScores& scores) {
  std::map<std::pair<std::string, double>, Point> points;
  for (const GeoCase* each : scores.cases())
    for (const WeighedRun& run : each->weighed) {
      Point& point = points[{run.of.method, run.carbon}];
      const RunSummary& summary = run.of.run;
      point.costs.push_back(summary.relative_cost.value_or(0) +
                            summary.relative_transfer.value_or(0));
      point.carbons.push_back(summary.relative_carbon.value_or(0));
      point.late.push_back(summary.late_share.value_or(0));
    }
  return points;
}

std::string csv_row(const GeoCase& each, const MethodRun& of, const std::string& weights) {
  std::string text =
      fmt::format("{},{},{},{},{}", each.workload, each.number, each.start, of.method, weights);
  for (const GeoScores::Field field :
       {&RunSummary::relative_cost, &RunSummary::relative_transfer, &RunSummary::relative_carbon,
        &RunSummary::late_share, &RunSummary::gpu_utilization})
    text += of.run.*field ? fmt::format(",{}", *(of.run.*field)) : ",";
  return text + "\n";
}

}  // namespace

std::string pareto_table(const GeoScores& scores) {
  const auto points = points_of(scores);
  if (points.empty()) return {};
  std::string text = fmt::format(
      "Cost (with transfers) against carbon, relative to local, as routers are told to weigh "
      "them\n\n{:<18}{:>16}{:>16}{:>10}{:>10}{:>10}\n",
      "router", "weight of cost", "of carbon", "cost", "carbon", "late");
  for (const auto& [key, point] : points)
    text += fmt::format("{:<18}{:>16}{:>16}{:>10.3f}{:>10.3f}{:>10.3f}\n", key.first,
                        1 - key.second, key.second, spread_of(point.costs).mean,
                        spread_of(point.carbons).mean, spread_of(point.late).mean);
  return text + "\n";
}

std::string pareto_csv(const std::vector<GeoCase>& cases) {
  std::string text =
      "workload,stretch,start,router,cost_weight,carbon_weight,relative_cost,relative_transfer,"
      "relative_carbon,late_share,gpu_utilization\n";
  for (const GeoCase& each : cases) {
    if (each.period != GeoPeriod::test) continue;
    for (const WeighedRun& run : each.weighed)
      text += csv_row(each, run.of, fmt::format("{},{}", run.cost, run.carbon));
    for (const MethodRun& run : each.runs)  // which take no weights, or were trained with theirs
      if (run.method != "thrifty" && run.method != "mpc") text += csv_row(each, run, ",");
  }
  return text;
}

}  // namespace penstock
