#include "study/geo/geo_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "report/measures/statistics.h"
#include "study/geo/geo_methods.h"
#include "study/geo/geo_scores.h"

namespace penstock {

// What was learned

namespace {

/// The mean part of the way to the bound, or a dash if nobody has asked for the bound.
std::string way_text(const GeoScores& scores, std::string_view method) {
  const double way = spread_of(scores.ways(method)).mean;
  return std::isnan(way) ? "-" : fmt::format("{:.1f} %", 100 * way);
}

std::string learned_row(const GeoScores& scores, const std::string& method,
                        const std::string& simple) {
  const auto mean = [&](RunField field) { return scores.mean(method, field); };
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

/// Of what was learned: a table, the seeds of marl summed up, and what was never trained.
std::string learned_table(const GeoScores& scores) {
  const std::string simple = scores.best_simple();
  std::string rows;
  for (const std::string& method : scores.methods())
    if (is_learned_router(method)) rows += learned_row(scores, method, simple);
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

}  // namespace

// Other forecasts

namespace {

/// Utilities of one router by stretch, with persistence and with day-ahead prices.
struct ForecastPairs {
  GeoScores::Values before{};
  GeoScores::Values after{};
  GeoScores::Values differences{};
  GeoScores::Values over_simple{};  ///< gained with day-ahead prices over a router that needs none
  GeoScores::Values over_mpc{};     ///< gained over mpc, which knows them too
};

ForecastPairs forecast_pairs_of(const GeoScores& scores, std::string_view method,
                                const std::string& simple) {
  ForecastPairs pairs;
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

/// What it is worth to know day-ahead prices once they are out.
std::string forecasts_table(const GeoScores& scores) {
  const std::string simple = scores.best_simple();
  std::string text = fmt::format(
      "Utility with other forecasts of prices: persistence everywhere, or day-ahead prices of the "
      "European sites once they are out (13:00 there)\n\n{:<18}{:>12}{:>12}{:>20}{:>34}{:>20}\n",
      "router", "persistence", "day-ahead", "difference", fmt::format("day-ahead over {}", simple),
      "over mpc with it");
  for (const std::string_view method : forecasting_routers()) {
    const ForecastPairs pairs = forecast_pairs_of(scores, method, simple);
    if (pairs.before.empty() || method == "local") continue;
    const Spread spread = spread_of(pairs.differences);
    text += fmt::format("{:<18}{:>12.4f}{:>12.4f}{:>20}{:>34}{:>20}\n", method,
                        spread_of(pairs.before).mean, spread_of(pairs.after).mean,
                        fmt::format("{:+.4f} ±{:.4f}", spread.mean, spread.half),
                        gain_text(pairs.over_simple), gain_text(pairs.over_mpc));
  }
  return text + "\n";
}

}  // namespace

// Cost against carbon

namespace {

/// Mean values of one router and weights over the stretches.
struct WeighedPoint {
  GeoScores::Values costs{};  ///< with transfers
  GeoScores::Values carbons{};
  GeoScores::Values late{};
};

/// By router and weight of carbon.
std::map<std::pair<std::string, double>, WeighedPoint> weighed_points_of(const GeoScores& scores) {
  std::map<std::pair<std::string, double>, WeighedPoint> points;
  for (const GeoCase* each : scores.cases())
    for (const WeighedRun& run : each->weighed) {
      WeighedPoint& point = points[{run.of.method, run.carbon}];
      const RunSummary& summary = run.of.run;
      point.costs.push_back(summary.relative_cost.value_or(0) +
                            summary.relative_transfer.value_or(0));
      point.carbons.push_back(summary.relative_carbon.value_or(0));
      point.late.push_back(summary.late_share.value_or(0));
    }
  return points;
}

std::string pareto_row(const GeoCase& each, const MethodRun& of, const std::string& weights) {
  std::string text =
      fmt::format("{},{},{},{},{}", each.workload, each.number, each.start, of.method, weights);
  for (const RunField field :
       {&RunSummary::relative_cost, &RunSummary::relative_transfer, &RunSummary::relative_carbon,
        &RunSummary::late_share, &RunSummary::gpu_utilization})
    text += of.run.*field ? fmt::format(",{}", *(of.run.*field)) : ",";
  return text + "\n";
}

/// What routers make of cost and carbon as they are told to weigh them.
std::string pareto_table(const GeoScores& scores) {
  const auto points = weighed_points_of(scores);
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

}  // namespace

std::string pareto_csv(const std::vector<GeoCase>& cases) {
  std::string text =
      "workload,stretch,start,router,cost_weight,carbon_weight,relative_cost,relative_transfer,"
      "relative_carbon,late_share,gpu_utilization\n";
  for (const GeoCase& each : cases) {
    if (each.period != GeoPeriod::test) continue;
    for (const WeighedRun& run : each.weighed)
      text += pareto_row(each, run.of, fmt::format("{},{}", run.cost, run.carbon));
    for (const MethodRun& run : each.runs)  // which take no weights, or were trained with theirs
      if (run.method != "thrifty" && run.method != "mpc") text += pareto_row(each, run, ",");
  }
  return text;
}

// All tables

namespace {

/// All but marl without one of its parts and its other seeds, which have a table of their own.
std::vector<std::string> main_methods(const GeoScores& scores) {
  std::vector<std::string> all = scores.methods();
  std::erase_if(all, [](const std::string& method) { return is_marl_variant(method); });
  return all;
}

std::string terms_table(const GeoScores& scores) {
  std::string text = fmt::format(
      "{}: means over {} test stretches (cost, carbon and transfers relative to local)\n\n"
      "{:<16}{:>9}{:>12}{:>8}{:>8}{:>10}{:>8}{:>9}{:>12}{:>10}{:>12}\n",
      scores.workload(), scores.size(), "router", "utility", "utilisation", "cost", "carbon",
      "transfers", "late", "wait h", "files sent", "us a dec.", "jobs/s");
  for (const std::string& method : main_methods(scores)) {
    const auto mean = [&](RunField field) { return scores.mean(method, field); };
    text += fmt::format(
        "{:<16}{:>9.3f}{:>12.3f}{:>8.3f}{:>8.3f}{:>10.3f}{:>8.3f}{:>9.2f}{:>12.0f}{:>10.1f}"
        "{:>12.0f}\n",
        method, mean(&RunSummary::utility), mean(&RunSummary::gpu_utilization),
        mean(&RunSummary::relative_cost), mean(&RunSummary::relative_carbon),
        mean(&RunSummary::relative_transfer), mean(&RunSummary::late_share),
        mean(&RunSummary::wait_mean_s) / 3600, mean(&RunSummary::transfers),
        mean(&RunSummary::decision_mean_us), mean(&RunSummary::jobs_per_s));
  }
  return text + "\n";
}

/// Cost and carbon with those of transfers, as parts of what another router has.
std::string against(const GeoScores& scores, const std::string& ours, const std::string& theirs) {
  const auto money = [&](const std::string& method) {
    return scores.mean(method, &RunSummary::energy_cost) +
           scores.mean(method, &RunSummary::transfer_cost);
  };
  const double carbon =
      scores.mean(ours, &RunSummary::carbon_kg) / scores.mean(theirs, &RunSummary::carbon_kg) - 1;
  const double used = scores.mean(ours, &RunSummary::gpu_utilization) /
                          scores.mean(theirs, &RunSummary::gpu_utilization) -
                      1;
  return fmt::format("carbon {:+.1f} %, cost {:+.1f} % (with transfers), utilisation {:+.1f} %",
                     100 * carbon, 100 * (money(ours) / money(theirs) - 1), 100 * used);
}

std::string gains_table(const GeoScores& scores, const std::string& chosen) {
  const std::string best = scores.best_simple();
  std::string text = fmt::format(
      "Utility gained, of how far the other's is from 0, mean of stretches and 95 % interval\n\n"
      "{:<16}{:>22}{:>34}{:>34}{:>20}\n",
      "router", "against local", fmt::format("best simple of tests ({})", best),
      fmt::format("best simple of choices ({})", chosen), "against mpc");
  for (const std::string& method : main_methods(scores)) {
    if (is_simple_router(method)) continue;
    text += fmt::format(
        "{:<16}{:>22}{:>34}{:>34}{:>20}\n", method, gain_text(scores.gains(method, "local")),
        gain_text(scores.gains(method, best)), gain_text(scores.gains(method, chosen)),
        gain_text(scores.gains(method, "mpc")));
  }
  text += "\nAgainst least-loaded\n\n";
  for (const std::string& method : main_methods(scores))
    if (!is_simple_router(method) || method == best)
      text += fmt::format("{:<16}{}\n", method, against(scores, method, "least-loaded"));
  return text + "\n";
}

/// The mean part of the way from jobs at home to what no scheduler could exceed.
std::string way_table(const GeoScores& scores) {
  const double most = scores.mean("local", &RunSummary::bound_utility);
  if (std::isnan(most)) return {};
  std::string text = fmt::format(
      "Part of the way from local to a bound on the utility of any scheduler that knows everything "
      "({:.3f} on average)\n\n",
      most);
  for (const std::string& method : main_methods(scores))
    text += fmt::format("{:<16}{:>7.1f} %\n", method, 100 * spread_of(scores.ways(method)).mean);
  return text + "\n";
}

/// Where the work was done: each site's share of the GPU-time.
std::string shares_table(const GeoScores& scores) {
  const RunSummary& first = scores.cases().front()->runs.front().run;
  std::string text = fmt::format("Share of the GPU-time by site\n\n{:<16}", "router");
  for (const SiteSummary& site : first.sites) text += fmt::format("{:>13}", site.name);
  text += "\n";
  for (const std::string& method : main_methods(scores)) {
    const GeoScores::Values work = scores.by_site(method, gpu_hours);
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    text += fmt::format("{:<16}", method);
    for (const double time : work) text += fmt::format("{:>11.1f} %", 100 * time / all);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string geo_text(const std::vector<GeoCase>& cases) {
  std::string text;
  for (const GeoScores& scores : all_scores(cases, GeoPeriod::test)) {
    const GeoScores choices(cases, scores.workload(), GeoPeriod::choice);
    const std::string chosen = choices.empty() ? scores.best_simple() : choices.best_simple();
    text += terms_table(scores) + gains_table(scores, chosen) + way_table(scores) +
            learned_table(scores) + forecasts_table(scores) + shares_table(scores) +
            pareto_table(scores);
  }
  return text;
}

std::string geo_csv(const std::vector<GeoCase>& cases) {
  std::string text =
      "workload,period,stretch,start,router,jobs,utility,gpu_utilization,relative_cost,"
      "relative_carbon,relative_transfer,late_share,energy_cost,transfer_cost,carbon_kg,"
      "transfer_carbon_kg,transfers,transfer_gb,wait_mean_s,jct_mean_s,bound_utility,"
      "decision_mean_us,wall_s\n";
  const auto add = [&](const GeoCase& each, const std::string& method, const RunSummary& run) {
    text += fmt::format("{},{},{},{},{}", each.workload, name_of(each.period), each.number,
                        each.start, method);
    for (const RunField field :
         {&RunSummary::jobs_submitted, &RunSummary::utility, &RunSummary::gpu_utilization,
          &RunSummary::relative_cost, &RunSummary::relative_carbon, &RunSummary::relative_transfer,
          &RunSummary::late_share, &RunSummary::energy_cost, &RunSummary::transfer_cost,
          &RunSummary::carbon_kg, &RunSummary::transfer_carbon_kg, &RunSummary::transfers,
          &RunSummary::transfer_gb, &RunSummary::wait_mean_s, &RunSummary::jct_mean_s,
          &RunSummary::bound_utility, &RunSummary::decision_mean_us, &RunSummary::wall_s})
      text += "," + csv_cell(run.*field);
    text += "\n";
  };
  for (const GeoCase& each : cases) {
    for (const auto& [method, run] : each.runs) add(each, method, run);
    for (const auto& [method, run] : each.day_ahead) add(each, method + " day-ahead", run);
  }
  return text;
}

}  // namespace penstock
