#include "app/study_geo_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/study_geo_methods.h"
#include "experiment/comparison.h"

namespace penstock {
namespace {

/// The stretch as it stands in its scenario, with further changes.
ExperimentSpec spec_of(const GeoPlan& plan, const GeoRequest& study,
                       std::vector<std::string> changes = {}) {
  ExperimentSpec spec{.scenario = study.folder / (plan.workload + ".toml"),
                      .overrides = std::move(changes)};
  spec.overrides.push_back(fmt::format("workload.start={}", plan.start));
  spec.overrides.push_back(fmt::format("workload.skip={}", plan.skip));
  spec.overrides.push_back(fmt::format("workload.limit={}", plan.limit));
  return spec;
}

Result<std::vector<MethodRun>> run_methods(const Experiment& experiment, const RunOptions& options,
                                           const std::vector<GeoMethod>& methods) {
  auto comparison = run_experiment(experiment, options);
  if (!comparison) return std::move(comparison).error();
  std::vector<MethodRun> named;
  named.reserve(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i)
    named.push_back({methods[i].name, std::move(comparison->runs[i].summary)});
  return named;
}

Result<std::vector<MethodRun>> load_and_run(ExperimentSpec spec, unsigned threads,
                                            const std::vector<GeoMethod>& methods) {
  for (const GeoMethod& method : methods) spec.policies.push_back(method.choice);
  const auto experiment = load_experiment(spec);
  if (!experiment) return experiment.error();
  return run_methods(*experiment, {.threads = threads}, methods);
}

/// Prices and carbon by hour, while the jobs of a run went on.
std::vector<GeoSite> sites_of(const Scenario& scenario, const RunSummary& run) {
  std::vector<GeoSite> sites;
  sites.reserve(scenario.signals.size());
  const Time from = run.time_origin.value_or(Time{});
  const Time to = from + round_duration(run.makespan_s.value_or(0));
  for (std::size_t i = 0; i < scenario.signals.size(); ++i)
    sites.push_back({.name = scenario.cluster.sites[i].name,
                     .price = mean_by_hour(scenario.signals[i].price, from, to),
                     .carbon = mean_by_hour(scenario.signals[i].carbon, from, to)});
  return sites;
}

/// Weights of carbon; that of cost is what is left of 1. A half is how everything else is run.
constexpr std::array kCarbonWeights{0.0, 0.25, 0.5, 0.75, 1.0};
constexpr double kUsual = 0.5;

/// Routers that take weights, under other ones: thrifty takes those of the scenario.
std::vector<GeoMethod> weighed_methods(double carbon) {
  return {geo_method("local", {{"router", "local"}}),
          geo_method("thrifty", {{"router", "thrifty"}}),
          geo_method("mpc", {{"router", "mpc"},
                             {"price_weight", fmt::format("{}", 1 - carbon)},
                             {"carbon_weight", fmt::format("{}", carbon)}})};
}

Result<Done> add_weighed(const GeoPlan& plan, const GeoRequest& study, GeoCase& result) {
  for (const double carbon : kCarbonWeights) {
    std::vector<MethodRun> runs = result.runs;
    if (carbon != kUsual) {
      auto again = load_and_run(spec_of(plan, study,
                                        {fmt::format("utility.cost={}", 1 - carbon),
                                         fmt::format("utility.carbon={}", carbon)}),
                                study.threads, weighed_methods(carbon));
      if (!again) return std::move(again).error();
      runs = *std::move(again);
    }
    for (const char* method : {"thrifty", "mpc"})
      result.weighed.push_back({1 - carbon, carbon, {method, run_of(runs, method)}});
  }
  return Done{};
}

/// Sites whose prices are those of a day-ahead auction, as their source says; those of the others
/// may be of the hour itself. Results are out before one in the afternoon of Central Europe.
std::vector<std::string> day_ahead_changes() {
  std::vector<std::string> changes;
  for (const char* site : {"frankfurt", "paris", "amsterdam"}) {
    changes.push_back(fmt::format("site.{}.utc_offset=1", site));
    changes.push_back(fmt::format("site.{}.dst=eu", site));
    changes.push_back(fmt::format(
        R"(site.{}.forecast={{ price = {{ kind = "day-ahead", published = "13:00" }} }})", site));
  }
  return changes;
}

Result<Done> add_day_ahead(const GeoPlan& plan, const GeoRequest& study, GeoCase& result) {
  std::vector<GeoMethod> methods = geo_methods(study.weights, plan.workload);
  std::erase_if(methods, [](const GeoMethod& method) {
    return std::ranges::find(forecasting_routers(), method.name) == forecasting_routers().end();
  });
  auto runs = load_and_run(spec_of(plan, study, day_ahead_changes()), study.threads, methods);
  if (!runs) return std::move(runs).error();
  result.day_ahead = *std::move(runs);
  return Done{};
}

}  // namespace

Result<GeoCase> run_geo_case(const GeoPlan& plan, const GeoRequest& study) {
  const std::vector<GeoMethod> methods = geo_methods(study.weights, plan.workload);
  const bool test = plan.period == GeoPeriod::test;
  ExperimentSpec spec = spec_of(plan, study);
  for (const GeoMethod& method : methods) spec.policies.push_back(method.choice);
  const auto experiment = load_experiment(spec);
  if (!experiment) return experiment.error();
  auto runs = run_methods(
      *experiment, {.threads = study.threads, .with_bound = test && !study.quick, .by_hour = test},
      methods);
  if (!runs) return std::move(runs).error();
  GeoCase result{.workload = plan.workload,
                 .period = plan.period,
                 .number = plan.number,
                 .start = plan.start,
                 .runs = *std::move(runs)};
  if (!test) return result;
  const Scenario& scenario = experiment->variants.front()->scenario;
  result.currency = scenario.currency;
  result.sites = sites_of(scenario, result.run("local"));
  if (auto done = add_day_ahead(plan, study, result); !done) return std::move(done).error();
  if (auto done = add_weighed(plan, study, result); !done) return std::move(done).error();
  return result;
}

}  // namespace penstock
