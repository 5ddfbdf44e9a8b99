#include "study/geo/geo_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/measures/statistics.h"
#include "study/geo/geo_methods.h"

namespace penstock {

GeoScores::GeoScores(const std::vector<GeoCase>& cases, std::string workload, GeoPeriod period)
    : workload_(std::move(workload)) {
  for (const GeoCase& each : cases)
    if (each.workload == workload_ && each.period == period) cases_.push_back(&each);
}

std::vector<std::string> GeoScores::methods() const {
  std::vector<std::string> names;
  for (const MethodRun& run : cases_.front()->runs) names.push_back(run.method);
  return names;
}

bool GeoScores::has(std::string_view method) const {
  return !empty() && find_run(cases_.front()->runs, method) != nullptr;
}

GeoScores::Values GeoScores::values(std::string_view method, RunField field) const {
  Values all;
  for (const GeoCase* each : cases_) all.push_back((each->run(method).*field).value_or(NAN));
  return all;
}

double GeoScores::mean(std::string_view method, RunField field) const {
  return spread_of(values(method, field)).mean;
}

std::string GeoScores::best_simple() const {
  const auto routers = simple_routers();
  return *std::ranges::max_element(
      routers, {}, [&](const std::string& router) { return mean(router, &RunSummary::utility); });
}

double utility_gain(double ours, double theirs) {
  return (ours - theirs) / std::abs(theirs);
}

GeoScores::Values GeoScores::gains(std::string_view ours, std::string_view theirs) const {
  const Values mine = values(ours, &RunSummary::utility);
  const Values other = values(theirs, &RunSummary::utility);
  Values gains;
  for (std::size_t i = 0; i < mine.size(); ++i) gains.push_back(utility_gain(mine[i], other[i]));
  return gains;
}

GeoScores::Values GeoScores::ways(std::string_view method) const {
  const Values home = values("local", &RunSummary::utility);
  const Values most = values("local", &RunSummary::bound_utility);
  const Values reached = values(method, &RunSummary::utility);
  Values parts;
  for (std::size_t i = 0; i < reached.size(); ++i)
    parts.push_back((reached[i] - home[i]) / (most[i] - home[i]));
  return parts;
}

GeoScores::Values GeoScores::by_site(std::string_view method, OfSite of_site) const {
  Values sums(cases_.front()->run(method).sites.size());
  for (const GeoCase* each : cases_) {
    const RunSummary& run = each->run(method);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += of_site(run, run.sites[i]);
  }
  return sums;
}

double gpu_hours(const RunSummary& run, const SiteSummary& site) {
  return site.gpu_utilization.value_or(0) * site.gpus.value_or(0) * run.makespan_s.value_or(0) /
         3600;
}

double site_cost(const RunSummary& /*run*/, const SiteSummary& site) {
  return site.energy_cost.value_or(0) + site.rent_cost.value_or(0) + site.transfer_cost.value_or(0);
}

double site_carbon(const RunSummary& /*run*/, const SiteSummary& site) {
  return site.carbon_kg.value_or(0);
}

std::vector<GeoScores> all_scores(const std::vector<GeoCase>& cases, GeoPeriod period) {
  std::set<std::string> seen;
  std::vector<GeoScores> all;
  for (const GeoCase& each : cases)
    if (seen.insert(each.workload).second) all.emplace_back(cases, each.workload, period);
  std::erase_if(all, [](const GeoScores& scores) { return scores.empty(); });
  return all;
}

std::string gain_text(const GeoScores::Values& gains) {
  const Spread spread = spread_of(gains);
  if (gains.size() < 2) return fmt::format("{:+.1f} %", 100 * spread.mean);
  return fmt::format("{:+.1f} ±{:.1f} %", 100 * spread.mean, 100 * spread.half);
}

}  // namespace penstock
