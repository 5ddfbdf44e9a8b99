#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "app/study_geo_methods.h"
#include "app/study_geo_scores.h"
#include "report/measures/statistics.h"

namespace penstock {
namespace {

using Field = GeoScores::Field;

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
    const auto mean = [&](Field field) { return scores.mean(method, field); };
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
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  const auto add = [&](const GeoCase& each, const std::string& method, const RunSummary& run) {
    text += fmt::format("{},{},{},{},{}", each.workload, name_of(each.period), each.number,
                        each.start, method);
    for (const Field field :
         {&RunSummary::jobs_submitted, &RunSummary::utility, &RunSummary::gpu_utilization,
          &RunSummary::relative_cost, &RunSummary::relative_carbon, &RunSummary::relative_transfer,
          &RunSummary::late_share, &RunSummary::energy_cost, &RunSummary::transfer_cost,
          &RunSummary::carbon_kg, &RunSummary::transfer_carbon_kg, &RunSummary::transfers,
          &RunSummary::transfer_gb, &RunSummary::wait_mean_s, &RunSummary::jct_mean_s,
          &RunSummary::bound_utility, &RunSummary::decision_mean_us, &RunSummary::wall_s})
      text += "," + number(run.*field);
    text += "\n";
  };
  for (const GeoCase& each : cases) {
    for (const auto& [method, run] : each.runs) add(each, method, run);
    for (const auto& [method, run] : each.day_ahead) add(each, method + " day-ahead", run);
  }
  return text;
}

}  // namespace penstock
