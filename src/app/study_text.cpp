#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/study_powerflow.h"
#include "report/svg/charts.h"

namespace penstock {
namespace {

/// What the duels with one rival came to over all cases.
struct Tally {
  double log_sum = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  double p95_log_sum = 0;
  double energy_sum = 0;
  std::size_t count = 0;
  std::size_t unfinished = 0;

  void add(const Duel& duel) {
    energy_sum += duel.energy_ratio();
    ++count;
    if (!duel.all_finished()) {
      ++unfinished;
      return;
    }
    log_sum += std::log(duel.jct_ratio());
    p95_log_sum += std::log(duel.p95_ratio());
    least = std::min(least, duel.jct_ratio());
    most = std::max(most, duel.jct_ratio());
  }
  double mean(double sum) const { return std::exp(sum / static_cast<double>(count - unfinished)); }
};

double restarts(const RunSummary& run) {
  return (*run.resizes + *run.migrations + *run.preemptions) / *run.jobs_submitted;
}

std::string table_by_rival(const std::vector<StudyCase>& cases) {
  std::string text =
      "Mean completion time of the rival divided by powerflow's, which had exactly the energy the\n"
      "rival used as its budget. Geometric means over all cases.\n\n"
      "rival          times better    worst     best   p95 better   energy used   not finished\n"
      "----------------------------------------------------------------------------------------\n";
  for (std::size_t i = 0; i < cases.front().duels.size(); ++i) {
    Tally tally;
    for (const StudyCase& each : cases) tally.add(each.duels[i]);
    text += fmt::format("{:<14} {:>12.2f} {:>8.2f} {:>8.2f} {:>12.2f} {:>12.0f}% {:>10} of {}\n",
                        cases.front().duels[i].rival, tally.mean(tally.log_sum), tally.least,
                        tally.most, tally.mean(tally.p95_log_sum),
                        100 * tally.energy_sum / static_cast<double>(tally.count), tally.unfinished,
                        tally.count);
  }
  return text;
}

std::string table_of(const StudyCase& each) {
  std::string text = fmt::format(
      "\n{} at load {:.1f}\n"
      "rival              JCT h   p95 h     MWh  restarts | powerflow JCT h   p95 h     MWh  "
      "restarts   better\n",
      each.trace, each.load);
  for (const Duel& duel : each.duels) {
    const auto side = [](const RunSummary& run) {
      return fmt::format("{:>8.2f}{:>8.1f}{:>8.1f}{:>10.1f}", *run.jct_mean_s / 3600,
                         *run.jct_p95_s / 3600, *run.energy_kwh / 1000, restarts(run));
    };
    const std::string better =
        duel.all_finished()
            ? fmt::format("{:.2f}", duel.jct_ratio())
            : fmt::format("{} jobs left", *duel.ours.jobs_submitted - *duel.ours.jobs_finished);
    text += fmt::format("{:<16}{} |        {}{:>9}\n", duel.rival, side(duel.theirs),
                        side(duel.ours), better);
  }
  return text;
}

}  // namespace

std::string study_text(const std::vector<StudyCase>& cases) {
  std::string text = table_by_rival(cases);
  for (const StudyCase& each : cases) text += table_of(each);
  return text;
}

std::string study_csv(const std::vector<StudyCase>& cases) {
  std::string text =
      "trace,load,rival,policy,energy_kwh,jct_mean_s,jct_p95_s,jobs_finished,jobs_submitted,"
      "resizes,migrations,preemptions,decision_p99_us\n";
  const auto row = [&](const StudyCase& each, std::string_view rival, std::string_view policy,
                       const RunSummary& run) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", each.trace, each.load, rival,
                        policy, *run.energy_kwh, *run.jct_mean_s, *run.jct_p95_s,
                        *run.jobs_finished, *run.jobs_submitted, *run.resizes, *run.migrations,
                        *run.preemptions, run.decision_p99_us.value_or(0));
  };
  for (const StudyCase& each : cases) {
    for (const Duel& duel : each.duels) {
      row(each, duel.rival, duel.rival, duel.theirs);
      row(each, duel.rival, "powerflow", duel.ours);
    }
    for (const RunSummary& run : each.front) row(each, "", "powerflow front", run);
  }
  return text;
}

std::string study_svg(const std::vector<StudyCase>& cases, const std::string& trace) {
  std::vector<SvgPanel> panels;
  const auto point = [](const RunSummary& run) {
    return std::pair(*run.energy_kwh / 1000, *run.jct_mean_s / 3600);
  };
  for (const StudyCase& each : cases) {
    if (each.trace != trace) continue;
    SvgPanel panel{.title = fmt::format("mean JCT, h, at load {:.1f}", each.load),
                   .across = "energy, MWh",
                   .name_dots = true};
    SvgCurve front{.label = "powerflow"};
    for (const RunSummary& run : each.front) front.line.push_back(point(run));
    std::ranges::sort(front.line);
    front.dots = front.line;
    panel.curves.push_back(std::move(front));
    for (const Duel& duel : each.duels)
      panel.curves.push_back({.label = duel.rival, .dots = {point(duel.theirs)}});
    panels.push_back(std::move(panel));
  }
  return svg_picture(fmt::format("Energy against completion time: {}", trace), panels);
}

}  // namespace penstock
