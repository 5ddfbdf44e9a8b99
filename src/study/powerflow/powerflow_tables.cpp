#include "study/powerflow/powerflow_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "report/measures/statistics.h"
#include "report/svg/charts.h"

namespace penstock {
namespace {

/// What several duels come to. A loss counts as 0, and so does then the geometric mean.
struct DuelTally {
  double mean = 0;  ///< geometric, with its 95 % interval over the cases
  double low = 0;
  double high = 0;
  double worst = std::numeric_limits<double>::infinity();
  double best = 0;
  double energy = 0;            ///< mean of the ratios to the rival's
  double use = 0;               ///< most of a budget
  std::size_t over_budget = 0;  ///< by more than 1 %
  std::size_t losses = 0;       ///< that leave jobs
  std::size_t count = 0;
  double to_bound = 0;  ///< geometric mean of completion time over the bound; 0 if it is not known
};

double geometric_mean(const std::vector<PowerflowDuel>& duels,
                      double (PowerflowDuel::*times)() const) {
  double log_sum = 0;
  for (const PowerflowDuel& duel : duels) log_sum += std::log((duel.*times)());
  return std::exp(log_sum / static_cast<double>(duels.size()));
}

double mean_to_bound(const std::vector<PowerflowDuel>& duels) {
  double log_sum = 0;
  for (const PowerflowDuel& duel : duels) {
    if (!duel.ours->bound_s) return 0;
    log_sum += std::log(*duel.ours->run.jct_mean_s / *duel.ours->bound_s);
  }
  return std::exp(log_sum / static_cast<double>(duels.size()));
}

DuelTally tally_of(const std::vector<PowerflowDuel>& duels) {
  DuelTally tally{.count = duels.size()};
  std::vector<double> logs;
  for (const PowerflowDuel& duel : duels) {
    const double times = duel.times_better();
    logs.push_back(std::log(times));
    tally.worst = std::min(tally.worst, times);
    tally.best = std::max(tally.best, times);
    tally.energy += duel.energy_ratio() / static_cast<double>(duels.size());
    tally.use = std::max(tally.use, duel.budget_use());
    tally.over_budget += duel.budget_use() > 1.01 ? 1 : 0;
    tally.losses += duel.leaves_more() ? 1 : 0;
  }
  if (tally.losses > 0) return tally;
  tally.to_bound = mean_to_bound(duels);
  const Spread spread = spread_of(logs);
  tally.mean = std::exp(spread.mean);
  tally.low = std::exp(spread.mean - spread.half);
  tally.high = std::exp(spread.mean + spread.half);
  return tally;
}

std::vector<PowerflowCase> cases_where(const std::vector<PowerflowCase>& cases,
                                       const std::function<bool(const PowerflowCaseSpec&)>& is) {
  std::vector<PowerflowCase> some;
  for (const PowerflowCase& each : cases)
    if (is(each.spec)) some.push_back(each);
  return some;
}

std::string interval(const DuelTally& tally) {
  if (tally.count < 2 || tally.losses > 0) return "";
  return fmt::format("{:.2f}-{:.2f}", tally.low, tally.high);
}

std::string rule(std::size_t width) {
  return std::string(width, '-') + "\n";
}

std::string row_by_rival(const std::vector<PowerflowCase>& cases, const std::string& rival) {
  const auto duels = duels_of(cases, rival, "as asked", 1);
  const DuelTally tally = tally_of(duels);
  std::string row = fmt::format(
      "{:<18}{:>7.2f}{:>12}{:>7.2f}{:>7.2f}{:>7.2f}{:>7.2f}{:>7.0f}%{:>6}{:>6}", rival, tally.mean,
      interval(tally), tally.worst, tally.best, geometric_mean(duels, &PowerflowDuel::p95_better),
      geometric_mean(duels, &PowerflowDuel::p99_better), 100 * tally.energy, tally.over_budget,
      tally.losses);
  const auto free = duels_of(cases, rival, "free", 1);
  if (free.empty()) return row + "\n";
  const DuelTally with_batches = tally_of(free);
  return row + fmt::format(" |{:>7.2f}{:>12}{:>7.2f}{:>7.0f}%{:>6}\n", with_batches.mean,
                           interval(with_batches), with_batches.worst, 100 * with_batches.energy,
                           with_batches.over_budget);
}

std::string table_by_rival(const std::vector<PowerflowCase>& cases) {
  std::string text = fmt::format(
      "Mean completion time of the rival divided by powerflow's, which had exactly the energy "
      "that\n"
      "the rival used as its budget and was told how many GPU-hours would be asked for. Geometric\n"
      "means over {} cases with 95 % intervals. To the left with the batches that users asked "
      "for,\n"
      "to the right with batches that powerflow may choose; pollux and sia always choose theirs.\n"
      "over: cases with more than 1 % over the budget. left: cases in which jobs were left.\n\n"
      "{:<18}{:>7}{:>12}{:>7}{:>7}{:>7}{:>7}{:>8}{:>6}{:>6} |{:>7}{:>12}{:>7}{:>8}{:>6}\n",
      cases.size(), "rival", "times", "95 %", "worst", "best", "p95", "p99", "energy", "over",
      "left", "times", "95 %", "worst", "energy", "over");
  text += rule(126);
  for (const MethodRun& rival : cases.front().rivals) text += row_by_rival(cases, rival.method);
  return text;
}

std::string table_by_part(const std::vector<PowerflowCase>& cases) {
  std::string text =
      "\nThe same against afs, with parts of its energy as the budget. use: the most of a "
      "budget.\n\n";
  text += fmt::format(
      "{:<8}{:>7}{:>12}{:>7}{:>8}{:>6}{:>6}{:>6} |{:>7}{:>12}{:>7}{:>8}{:>6}{:>6}{:>6}\n", "part",
      "times", "95 %", "worst", "energy", "use", "over", "left", "times", "95 %", "worst", "energy",
      "use", "over", "left");
  text += rule(118);
  for (const double part : {1.0, 0.9, 0.8, 0.7}) {
    text += fmt::format("{:<8}", fmt::format("{:.0f} %", 100 * part));
    for (const char* variant : {"as asked", "free"}) {
      const DuelTally tally = tally_of(duels_of(cases, "afs", variant, part));
      text += fmt::format("{:>7.2f}{:>12}{:>7.2f}{:>7.0f}%{:>5.0f}%{:>6}{:>6}{}", tally.mean,
                          interval(tally), tally.worst, 100 * tally.energy, 100 * tally.use,
                          tally.over_budget, tally.losses, variant[0] == 'a' ? " |" : "\n");
    }
  }
  return text;
}

/// In the order in which they come.
std::vector<std::string> clusters_of(const std::vector<PowerflowCase>& cases) {
  std::vector<std::string> clusters;
  for (const PowerflowCase& each : cases)
    if (std::ranges::find(clusters, each.spec.cluster) == clusters.end())
      clusters.push_back(each.spec.cluster);
  return clusters;
}

std::string table_by_cluster(const std::vector<PowerflowCase>& cases) {
  const std::vector<std::string> clusters = clusters_of(cases);
  if (clusters.size() < 2) return "";
  std::string text =
      "\nBy cluster, batches as asked, at the rival's energy; in brackets with free batches.\n\n"
      "cluster   cases";
  constexpr std::array kRivals{"tiresias", "gandiva", "afs", "optimus", "pollux", "sia"};
  for (const char* rival : kRivals) text += fmt::format("{:>16}", rival);
  text += "\n" + rule(111);
  for (const std::string& cluster : clusters) {
    const auto here =
        cases_where(cases, [&](const PowerflowCaseSpec& spec) { return spec.cluster == cluster; });
    text += fmt::format("{:<10}{:>5}", cluster, here.size());
    for (const char* rival : kRivals) {
      if (find_run(here.front().rivals, rival) == nullptr) {
        text += fmt::format("{:>16}", "");
        continue;
      }
      text += fmt::format("{:>9.2f} ({:.2f})", tally_of(duels_of(here, rival, "as asked", 1)).mean,
                          tally_of(duels_of(here, rival, "free", 1)).mean);
    }
    text += "\n";
  }
  return text;
}

std::string ablation_name(const std::string& variant) {
  if (variant == "free") return "batches free";
  return variant == "as asked" ? "all, batches as asked" : variant;
}

std::vector<std::string> variants_against_afs(const PowerflowCase& each) {
  std::vector<std::string> variants;
  for (const PowerflowRun& ours : each.ours)
    if (ours.rival == "afs" && std::ranges::find(variants, ours.variant) == variants.end())
      variants.push_back(ours.variant);
  return variants;
}

std::string table_of_ablations(const std::vector<PowerflowCase>& all) {
  const auto cases = cases_where(all, [](const PowerflowCaseSpec& spec) { return spec.ablations; });
  if (cases.empty()) return "";
  std::string text = fmt::format(
      "\nWithout parts of powerflow, against afs in {} cases at load {:.1f}, batches as asked but\n"
      "for one row: times better, energy, the most of the budget used, and the completion time as\n"
      "a multiple of a bound that knows everything in advance and may choose batches.\n\n"
      "{:<28}{:>31}{:>31}\n",
      cases.size(), cases.front().spec.load, "", "at afs's energy", "at 80 % of it");
  text += rule(90);
  for (const std::string& variant : variants_against_afs(cases.front())) {
    text += fmt::format("{:<28}", ablation_name(variant));
    for (const double part : {1.0, 0.8}) {
      const DuelTally tally = tally_of(duels_of(cases, "afs", variant, part));
      text += fmt::format("{:>9.2f}{:>7.0f}%{:>6.0f}%{:>7.2f}", tally.mean, 100 * tally.energy,
                          100 * tally.use, tally.to_bound);
    }
    text += "\n";
  }
  return text;
}

double restarts_per_job(const RunSummary& run) {
  return (*run.resizes + *run.migrations + *run.preemptions) / *run.jobs_submitted;
}

std::string side_of(const RunSummary& run) {
  return fmt::format("{:>8.2f}{:>9.1f}{:>9.1f}{:>8.1f}{:>9.1f}", *run.jct_mean_s / 3600,
                     *run.jct_p95_s / 3600, *run.jct_p99_s / 3600, *run.energy_kwh / 1000,
                     restarts_per_job(run));
}

std::string table_of_case(const PowerflowCase& each) {
  std::string text = fmt::format(
      "\n{} at load {:.1f} on {}\n{:<18}{:>8}{:>9}{:>9}{:>8}{:>9} "
      "|{:>8}{:>9}{:>9}{:>8}{:>9}{:>8}\n",
      each.spec.trace, each.spec.load, each.spec.cluster, "rival", "JCT h", "p95 h", "p99 h", "MWh",
      "restarts", "JCT h", "p95 h", "p99 h", "MWh", "restarts", "times");
  const std::vector one{each};  // duels refer to it
  for (const MethodRun& rival : each.rivals)
    for (const PowerflowDuel& duel : duels_of(one, rival.method, "as asked", 1)) {
      const std::string times = duel.leaves_more()
                                    ? fmt::format("{:.0f} left", *duel.ours->run.jobs_unfinished)
                                    : fmt::format("{:.2f}", duel.times_better());
      text += fmt::format("{:<18}{} |{}{:>8}\n", rival.method, side_of(rival.run),
                          side_of(duel.ours->run), times);
    }
  return text;
}

}  // namespace

std::string powerflow_text(const std::vector<PowerflowCase>& cases) {
  if (cases.empty()) return "no case has a trace of these names\n";
  const std::string first = cases.front().spec.cluster;
  const auto main_cases =
      cases_where(cases, [&](const PowerflowCaseSpec& spec) { return spec.cluster == first; });
  std::string text = table_by_rival(main_cases) + table_by_part(main_cases) +
                     table_by_cluster(cases) + table_of_ablations(cases);
  for (const PowerflowCase& each : cases) text += table_of_case(each);
  return text;
}

std::string powerflow_csv(const std::vector<PowerflowCase>& cases) {
  std::string text =
      "trace,load,rival,policy,energy_kwh,jct_mean_s,jct_p95_s,jobs_finished,jobs_submitted,"
      "resizes,migrations,preemptions,decision_p99_us,cluster,seed,variant,part,jct_p99_s\n";
  const auto row = [&](const PowerflowCaseSpec& spec, std::string_view rival,
                       std::string_view policy, const RunSummary& run, std::string_view rest) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", spec.trace,
                        spec.load, rival, policy, *run.energy_kwh, *run.jct_mean_s, *run.jct_p95_s,
                        *run.jobs_finished, *run.jobs_submitted, *run.resizes, *run.migrations,
                        *run.preemptions, run.decision_p99_us.value_or(0), spec.cluster, spec.seed,
                        rest, *run.jct_p99_s);
  };
  for (const PowerflowCase& each : cases) {
    for (const MethodRun& rival : each.rivals)
      row(each.spec, rival.method, rival.method, rival.run, ",");
    for (const PowerflowRun& ours : each.ours)
      row(each.spec, ours.rival, "powerflow", ours.run,
          fmt::format("{},{}", ours.variant, ours.part));
    for (const RunSummary& run : each.front)
      row(each.spec, "", "powerflow front", run,
          fmt::format("energy_price={},", run.options.at("energy_price")));
  }
  return text;
}

std::string powerflow_svg(const std::vector<PowerflowCase>& cases, const std::string& trace) {
  std::vector<SvgPanel> panels;
  const auto point = [](const RunSummary& run) {
    return std::pair(*run.energy_kwh / 1000, *run.jct_mean_s / 3600);
  };
  for (const PowerflowCase& each : cases) {
    if (each.spec.trace != trace || each.front.empty()) continue;
    SvgPanel panel{.title = fmt::format("mean JCT, h, at load {:.1f}", each.spec.load),
                   .across = "energy, MWh",
                   .name_dots = true};
    SvgCurve front{.label = "powerflow"};
    for (const RunSummary& run : each.front) front.line.push_back(point(run));
    std::ranges::sort(front.line);
    front.dots = front.line;
    panel.curves.push_back(std::move(front));
    for (const MethodRun& rival : each.rivals)
      panel.curves.push_back({.label = rival.method, .dots = {point(rival.run)}});
    panels.push_back(std::move(panel));
  }
  return svg_picture(fmt::format("Energy against completion time: {}", trace), panels);
}

}  // namespace penstock
