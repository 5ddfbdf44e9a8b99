#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/study_geo.h"
#include "report/spread.h"

namespace penstock {
namespace {

using Values = std::vector<double>;
using Field = std::optional<double> RunSummary::*;

double mean_of(const Values& values) {
  return spread_of(values).mean;
}

/// The stretches of one workload and period.
class Scores {
 public:
  Scores(const std::vector<GeoCase>& cases, std::string workload, GeoPeriod period)
      : workload_(std::move(workload)) {
    for (const GeoCase& each : cases)
      if (each.workload == workload_ && each.period == period) cases_.push_back(&each);
  }

  bool empty() const { return cases_.empty(); }
  std::size_t size() const { return cases_.size(); }
  const std::string& workload() const { return workload_; }
  const std::vector<const GeoCase*>& cases() const { return cases_; }

  Values values(std::string_view method, Field field) const {
    Values all;
    for (const GeoCase* each : cases_) all.push_back((each->run(method).*field).value_or(NAN));
    return all;
  }
  double mean(std::string_view method, Field field) const { return mean_of(values(method, field)); }

  std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const MethodRun& run : cases_.front()->runs) names.push_back(run.method);
    return names;
  }
  /// The simple router with the highest mean utility.
  std::string best_simple() const {
    const auto routers = simple_routers();
    return *std::ranges::max_element(
        routers, {}, [&](const std::string& router) { return mean(router, &RunSummary::utility); });
  }

 private:
  std::string workload_;
  std::vector<const GeoCase*> cases_;
};

std::vector<Scores> all_scores(const std::vector<GeoCase>& cases, GeoPeriod period) {
  std::set<std::string> seen;
  std::vector<Scores> all;
  for (const GeoCase& each : cases)
    if (seen.insert(each.workload).second) all.emplace_back(cases, each.workload, period);
  std::erase_if(all, [](const Scores& scores) { return scores.empty(); });
  return all;
}

/// How much better, as a part of how far the other is from 0.
double gain(double ours, double theirs) {
  return (ours - theirs) / std::abs(theirs);
}

/// "+12.3 ± 4.5 %": of stretches, each against the same stretch.
std::string gains_text(const Scores& scores, const std::string& ours, const std::string& theirs) {
  Values gains;
  const Values mine = scores.values(ours, &RunSummary::utility);
  const Values other = scores.values(theirs, &RunSummary::utility);
  for (std::size_t i = 0; i < mine.size(); ++i) gains.push_back(gain(mine[i], other[i]));
  const Spread spread = spread_of(gains);
  if (gains.size() < 2) return fmt::format("{:+.1f} %", 100 * spread.mean);
  return fmt::format("{:+.1f} ±{:.1f} %", 100 * spread.mean, 100 * spread.half);
}

std::string terms_table(const Scores& scores) {
  std::string text = fmt::format(
      "{}: means over {} test stretches (cost, carbon and transfers relative to local)\n\n"
      "{:<16}{:>9}{:>12}{:>8}{:>8}{:>10}{:>8}{:>9}{:>12}{:>10}{:>12}\n",
      scores.workload(), scores.size(), "router", "utility", "utilisation", "cost", "carbon",
      "transfers", "late", "wait h", "files sent", "us a dec.", "jobs/s");
  for (const std::string& method : scores.methods()) {
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
std::string against(const Scores& scores, const std::string& ours, const std::string& theirs) {
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

bool is_simple(const std::string& method) {
  const auto routers = simple_routers();
  return std::ranges::find(routers, method) != routers.end();
}

std::string gains_table(const Scores& scores, const std::string& chosen) {
  const std::string best = scores.best_simple();
  std::string text = fmt::format(
      "Utility gained, of how far the other's is from 0, mean of stretches and 95 % interval\n\n"
      "{:<16}{:>22}{:>34}{:>34}{:>20}\n",
      "router", "against local", fmt::format("best simple of tests ({})", best),
      fmt::format("best simple of choices ({})", chosen), "against mpc");
  for (const std::string& method : scores.methods()) {
    if (is_simple(method)) continue;
    text += fmt::format("{:<16}{:>22}{:>34}{:>34}{:>20}\n", method,
                        gains_text(scores, method, "local"), gains_text(scores, method, best),
                        gains_text(scores, method, chosen), gains_text(scores, method, "mpc"));
  }
  text += "\nAgainst least-loaded\n\n";
  for (const std::string& method : scores.methods())
    if (!is_simple(method) || method == best)
      text += fmt::format("{:<16}{}\n", method, against(scores, method, "least-loaded"));
  return text + "\n";
}

/// The mean part of the way from jobs at home to what no scheduler could exceed.
std::string way_table(const Scores& scores) {
  const Values home = scores.values("local", &RunSummary::utility);
  const Values most = scores.values("local", &RunSummary::bound_utility);
  if (std::ranges::any_of(most, [](double bound) { return std::isnan(bound); })) return {};
  std::string text = fmt::format(
      "Part of the way from local to a bound on the utility of any scheduler that knows everything "
      "({:.3f} on average)\n\n",
      mean_of(most));
  for (const std::string& method : scores.methods()) {
    const Values reached = scores.values(method, &RunSummary::utility);
    Values parts;
    for (std::size_t i = 0; i < reached.size(); ++i)
      parts.push_back((reached[i] - home[i]) / (most[i] - home[i]));
    text += fmt::format("{:<16}{:>7.1f} %\n", method, 100 * mean_of(parts));
  }
  return text + "\n";
}

/// Where the work was done: each site's share of the GPU-time.
std::string shares_table(const Scores& scores) {
  const RunSummary& first = scores.cases().front()->runs.front().run;
  std::string text = fmt::format("Share of the GPU-time by site\n\n{:<16}", "router");
  for (const SiteSummary& site : first.sites) text += fmt::format("{:>13}", site.name);
  text += "\n";
  for (const std::string& method : scores.methods()) {
    std::vector<double> work(first.sites.size());
    double all = 0;
    for (const GeoCase* each : scores.cases()) {
      const RunSummary& run = each->run(method);
      for (std::size_t i = 0; i < work.size(); ++i) {
        const double time =
            run.sites[i].gpu_utilization.value_or(0) * *run.sites[i].gpus * *run.makespan_s;
        work[i] += time;
        all += time;
      }
    }
    text += fmt::format("{:<16}", method);
    for (const double time : work) text += fmt::format("{:>11.1f} %", 100 * time / all);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string geo_text(const std::vector<GeoCase>& cases) {
  std::string text;
  for (const Scores& scores : all_scores(cases, GeoPeriod::test)) {
    const Scores choices(cases, scores.workload(), GeoPeriod::choice);
    const std::string chosen = choices.empty() ? scores.best_simple() : choices.best_simple();
    text += terms_table(scores) + gains_table(scores, chosen) + way_table(scores) +
            shares_table(scores);
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
  for (const GeoCase& each : cases)
    for (const auto& [method, run] : each.runs) {
      text += fmt::format("{},{},{},{},{}", each.workload, name_of(each.period), each.number,
                          each.start, method);
      for (const Field field :
           {&RunSummary::jobs_submitted, &RunSummary::utility, &RunSummary::gpu_utilization,
            &RunSummary::relative_cost, &RunSummary::relative_carbon,
            &RunSummary::relative_transfer, &RunSummary::late_share, &RunSummary::energy_cost,
            &RunSummary::transfer_cost, &RunSummary::carbon_kg, &RunSummary::transfer_carbon_kg,
            &RunSummary::transfers, &RunSummary::transfer_gb, &RunSummary::wait_mean_s,
            &RunSummary::jct_mean_s, &RunSummary::bound_utility, &RunSummary::decision_mean_us,
            &RunSummary::wall_s})
        text += "," + number(run.*field);
      text += "\n";
    }
  return text;
}

}  // namespace penstock
