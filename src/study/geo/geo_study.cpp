#include "study/geo/geo_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/time.h"
#include "study/geo/geo_methods.h"
#include "study/geo/geo_pictures.h"
#include "study/geo/geo_tables.h"
#include "study/run_cases.h"

namespace penstock {

// Plans

namespace {

/// A workload's trace, as its scenario reads it.
struct GeoTrace {
  const char* name;
  std::uint32_t jobs;
  std::uint32_t days;
};
constexpr std::array kGeoTraces{GeoTrace{"pai", 71'860, 61}, GeoTrace{"philly", 39'830, 61}};

/// Twelfths of a trace: networks are trained on the first four, the next three are for choosing,
/// figures are of the last five. Each is laid on dates of its own.
constexpr std::uint32_t kTwelfths = 12;
constexpr std::uint32_t kFirstChoice = 4;
constexpr std::uint32_t kFirstTest = 7;
constexpr std::array kChoiceDates{"2021-01-18", "2021-03-08", "2021-05-10"};
constexpr std::array kTestDates{"2021-07-12", "2021-08-09", "2021-09-13", "2021-10-11",
                                "2021-11-08"};

/// The part's jobs come on about this date: those before them keep their days. Weeks begin as they
/// do in the trace, on a Sunday.
std::string start_of(const GeoTrace& trace, std::uint32_t part, const char* date) {
  using namespace std::chrono;
  const sys_days day = floor<days>(*parse_time(date));
  const sys_days first = day - days(trace.days * part / kTwelfths);
  const sys_days sunday = first - (weekday(first) - Sunday);
  return format_time(Time(sunday));
}

void add_plans(const GeoTrace& trace, GeoPeriod period, std::span<const char* const> dates,
               const StudyRequest& request, std::vector<GeoPlan>& all) {
  const std::uint32_t first = period == GeoPeriod::test ? kFirstTest : kFirstChoice;
  const std::size_t most = period == GeoPeriod::test ? 2 : 1;
  for (std::uint32_t i = 0; i < (request.quick ? most : dates.size()); ++i)
    all.push_back({.workload = trace.name,
                   .period = period,
                   .number = i + 1,
                   .start = start_of(trace, first + i, dates[i]),
                   .skip = trace.jobs * (first + i) / kTwelfths,
                   .limit = trace.jobs / kTwelfths / (request.quick ? 2 : 1)});
}

Result<Done> check_geo_request(const StudyRequest& request) {
  if (auto there = check_scenario(request.data / "studies" / "geo", "pai.toml"); !there)
    return there;
  const auto known = geo_workloads();
  for (const std::string& name : request.only)
    if (std::ranges::find(known, name) == known.end())
      return Error{
          fmt::format("--only: there is no '{}'; possible: {}", name, fmt::join(known, " "))};
  return Done{};
}

}  // namespace

std::string_view name_of(GeoPeriod period) {
  return period == GeoPeriod::choice ? "choice" : "test";
}

std::vector<std::string> geo_workloads() {
  std::vector<std::string> names;
  names.reserve(kGeoTraces.size());
  for (const GeoTrace& trace : kGeoTraces) names.emplace_back(trace.name);
  return names;
}

std::vector<GeoPlan> geo_plans(const StudyRequest& request) {
  std::vector<GeoPlan> all;
  for (const GeoTrace& trace : kGeoTraces) {
    if (!is_wanted(request, trace.name)) continue;
    add_plans(trace, GeoPeriod::choice, kChoiceDates, request, all);
    add_plans(trace, GeoPeriod::test, kTestDates, request, all);
  }
  return all;
}

// Runs

namespace {

/// The stretch as it stands in its scenario, with further changes.
ExperimentSpec spec_of(const GeoPlan& plan, const StudyRequest& request,
                       std::vector<std::string> changes = {}) {
  ExperimentSpec spec{.scenario = request.data / "studies" / "geo" / (plan.workload + ".toml"),
                      .overrides = std::move(changes)};
  spec.overrides.push_back(fmt::format("workload.start={}", plan.start));
  spec.overrides.push_back(fmt::format("workload.skip={}", plan.skip));
  spec.overrides.push_back(fmt::format("workload.limit={}", plan.limit));
  return spec;
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
constexpr double kUsualWeight = 0.5;

/// Routers that take weights, under other ones: thrifty takes those of the scenario.
std::vector<Method> weighed_methods(double carbon) {
  return {geo_method("local", {{"router", "local"}}),
          geo_method("thrifty", {{"router", "thrifty"}}),
          geo_method("mpc", {{"router", "mpc"},
                             {"price_weight", fmt::format("{}", 1 - carbon)},
                             {"carbon_weight", fmt::format("{}", carbon)}})};
}

Result<Done> add_weighed(const GeoPlan& plan, const StudyRequest& request, GeoCase& result) {
  for (const double carbon : kCarbonWeights) {
    std::vector<MethodRun> runs = result.runs;
    if (carbon != kUsualWeight) {
      auto again = load_and_run(spec_of(plan, request,
                                        {fmt::format("utility.cost={}", 1 - carbon),
                                         fmt::format("utility.carbon={}", carbon)}),
                                {.threads = request.threads}, weighed_methods(carbon));
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

Result<Done> add_day_ahead(const GeoPlan& plan, const StudyRequest& request, GeoCase& result) {
  std::vector<Method> methods = geo_methods(request.weights, plan.workload);
  std::erase_if(methods, [](const Method& method) {
    return std::ranges::find(forecasting_routers(), method.name) == forecasting_routers().end();
  });
  auto runs = load_and_run(spec_of(plan, request, day_ahead_changes()),
                           {.threads = request.threads}, methods);
  if (!runs) return std::move(runs).error();
  result.day_ahead = *std::move(runs);
  return Done{};
}

}  // namespace

Result<GeoCase> run_geo_case(const GeoPlan& plan, const StudyRequest& request) {
  const std::vector<Method> methods = geo_methods(request.weights, plan.workload);
  const bool test = plan.period == GeoPeriod::test;
  const auto experiment = load_methods(spec_of(plan, request), methods);
  if (!experiment) return experiment.error();
  auto runs = run_methods(
      *experiment,
      {.threads = request.threads, .with_bound = test && !request.quick, .by_hour = test}, methods);
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
  if (auto done = add_day_ahead(plan, request, result); !done) return std::move(done).error();
  if (auto done = add_weighed(plan, request, result); !done) return std::move(done).error();
  return result;
}

Result<std::vector<GeoCase>> run_geo_cases(const StudyRequest& request) {
  if (auto fine = check_geo_request(request); !fine) return std::move(fine).error();
  const std::vector<GeoPlan> all = geo_plans(request);
  CaseLoop<GeoCase> loop{.count = all.size(),
                         .run = [&](std::size_t i) { return run_geo_case(all[i], request); }};
  if (request.note)
    loop.begins = [&](std::size_t i) {
      request.note(fmt::format("study geo: {} of {}: {}, {} stretch {}", i + 1, all.size(),
                               all[i].workload, name_of(all[i].period), all[i].number));
    };
  if (request.save)
    loop.so_far = [&](const std::vector<GeoCase>& cases) {
      return request.save({"study.csv", geo_csv(cases)});
    };
  return run_cases(loop);
}

Result<StudyResult> run_geo_study(const StudyRequest& request) {
  const auto cases = run_geo_cases(request);
  if (!cases) return cases.error();
  StudyResult result{.text = geo_text(*cases), .files = {{"pareto.csv", pareto_csv(*cases)}}};
  std::ranges::move(geo_pictures(*cases), std::back_inserter(result.files));
  for (const GeoCase& each : *cases)
    result.pages.push_back(page_source(
        fmt::format("{}, {} stretch {}", each.workload, name_of(each.period), each.number),
        each.currency, each.runs));
  return result;
}

}  // namespace penstock
