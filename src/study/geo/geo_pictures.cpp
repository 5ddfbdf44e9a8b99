#include "study/geo/geo_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "report/measures/statistics.h"
#include "report/svg/charts.h"
#include "study/geo/geo_methods.h"
#include "study/geo/geo_scores.h"

namespace penstock {
namespace {

using Grid = std::vector<std::vector<double>>;

std::vector<std::string> site_names(const GeoScores& scores) {
  std::vector<std::string> names;
  for (const GeoSite& site : scores.cases().front()->sites) names.push_back(site.name);
  return names;
}

/// GPU-hours by site and hour of the day, of an average stretch.
Grid work_grid(const GeoScores& scores, const std::string& method) {
  Grid grid(site_names(scores).size(), std::vector<double>(24));
  for (const GeoCase* each : scores.cases())
    for (std::size_t i = 0; i < grid.size(); ++i)
      for (std::size_t hour = 0; hour < 24; ++hour)
        grid[i][hour] +=
            each->run(method).sites[i].gpu_hours_by_hour[hour] / static_cast<double>(scores.size());
  return grid;
}

/// What power was like at each site and hour, on average of the stretches.
Grid signal_grid(const GeoScores& scores, ByHour GeoSite::* signal, double scale) {
  Grid grid(site_names(scores).size(), std::vector<double>(24));
  for (const GeoCase* each : scores.cases())
    for (std::size_t i = 0; i < grid.size(); ++i)
      for (std::size_t hour = 0; hour < 24; ++hour)
        grid[i][hour] +=
            scale * (each->sites[i].*signal).at(hour) / static_cast<double>(scores.size());
  return grid;
}

double largest(const Grid& grid) {
  double most = 0;
  for (const auto& row : grid) most = std::max(most, std::ranges::max(row));
  return most;
}

/// Routers whose maps tell something.
std::vector<std::string> mapped_routers(const GeoScores& scores) {
  std::vector<std::string> names{"local"};
  if (const std::string best = scores.best_simple(); best != "local") names.push_back(best);
  names.emplace_back("mpc");
  if (scores.has("marl")) names.emplace_back("marl");
  return names;
}

void add_maps(const GeoScores& scores, std::vector<StudyFile>& pictures) {
  const std::vector<std::string> sites = site_names(scores);
  const std::vector<std::string> routers = mapped_routers(scores);
  double most = 0;
  for (const std::string& router : routers)
    most = std::max(most, largest(work_grid(scores, router)));
  for (const std::string& router : routers) {
    const SvgHeat work{.title = "GPU-hours run",
                       .rows = sites,
                       .values = work_grid(scores, router),
                       .lightest = 0,
                       .darkest = most};
    const SvgHeat price{
        .title = fmt::format("mean price, {}/MWh", scores.cases().front()->currency),
        .rows = sites,
        .values = signal_grid(scores, &GeoSite::price, 1000)};
    const SvgHeat carbon{.title = "mean carbon intensity, g/kWh",
                         .rows = sites,
                         .values = signal_grid(scores, &GeoSite::carbon, 1)};
    pictures.push_back(
        {fmt::format("map-{}-{}.svg", scores.workload(), router),
         svg_heat_maps(fmt::format("{}, {}: where and when work was done, means of {} test "
                                   "stretches; the same colours for every router",
                                   scores.workload(), router, scores.size()),
                       "hour of the day, UTC", {work, price, carbon})});
  }
}

/// What sites have of something, in terms of what they have in all under `local`.
SvgStackPanel share_panel(const GeoScores& scores, std::string title, GeoScores::OfSite of_site) {
  const GeoScores::Values home = scores.by_site("local", of_site);
  const double whole = std::accumulate(home.begin(), home.end(), 0.0);
  SvgStackPanel panel{.title = std::move(title)};
  for (const std::string& method : scores.methods()) {
    if (is_marl_variant(method)) continue;
    GeoScores::Values parts = scores.by_site(method, of_site);
    for (double& part : parts) part = std::max(0.0, part / whole);
    panel.stacks.push_back({method, std::move(parts)});
  }
  return panel;
}

StudyFile shares_picture(const GeoScores& scores) {
  return {fmt::format("shares-{}.svg", scores.workload()),
          svg_stacks(fmt::format("{}: percent by site, and the whole relative to local; {} test "
                                 "stretches together",
                                 scores.workload(), scores.size()),
                     site_names(scores),
                     {share_panel(scores, "work, GPU-hours", gpu_hours),
                      share_panel(scores, "cost, transfers included", site_cost),
                      share_panel(scores, "carbon, transfers included", site_carbon)})};
}

using Dot = std::pair<double, double>;

Dot dot_of(const std::vector<const RunSummary*>& runs) {
  GeoScores::Values costs;
  GeoScores::Values carbons;
  for (const RunSummary* run : runs) {
    costs.push_back(run->relative_cost.value_or(0) + run->relative_transfer.value_or(0));
    carbons.push_back(run->relative_carbon.value_or(0));
  }
  return {spread_of(costs).mean, spread_of(carbons).mean};
}

/// A router under each of its weights, from cost alone to carbon alone.
SvgCurve weighed_curve(const GeoScores& scores, const std::string& method) {
  std::map<double, std::vector<const RunSummary*>> by_weight;
  for (const GeoCase* each : scores.cases())
    for (const WeighedRun& run : each->weighed)
      if (run.of.method == method) by_weight[run.carbon].push_back(&run.of.run);
  SvgCurve curve{.label = method};
  for (const auto& [weight, runs] : by_weight) curve.line.push_back(dot_of(runs));
  curve.dots = curve.line;
  return curve;
}

StudyFile pareto_picture(const GeoScores& scores) {
  SvgPanel panel{.title = "carbon, relative to local",
                 .across = "cost with transfers, relative to local",
                 .close_up = true,
                 .name_dots = true};
  for (const char* method : {"mpc", "thrifty"})
    panel.curves.push_back(weighed_curve(scores, method));
  for (const std::string& method : scores.methods()) {
    if (!is_simple_router(method) && method != "marl") continue;
    std::vector<const RunSummary*> runs;
    for (const GeoCase* each : scores.cases()) runs.push_back(&each->run(method));
    panel.curves.push_back({.label = method, .dots = {dot_of(runs)}});
  }
  return {fmt::format("pareto-{}.svg", scores.workload()),
          svg_picture(fmt::format("{}: weights of cost and carbon from (1, 0) to (0, 1); means of "
                                  "{} test stretches",
                                  scores.workload(), scores.size()),
                      {panel})};
}

}  // namespace

std::vector<StudyFile> geo_pictures(const std::vector<GeoCase>& cases) {
  std::vector<StudyFile> pictures;
  for (const GeoScores& scores : all_scores(cases, GeoPeriod::test)) {
    add_maps(scores, pictures);
    pictures.push_back(shares_picture(scores));
    pictures.push_back(pareto_picture(scores));
  }
  return pictures;
}

}  // namespace penstock
