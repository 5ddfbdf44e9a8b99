#include "study/mars/mars_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "report/measures/statistics.h"
#include "report/svg/charts.h"

namespace penstock {

// Scores

namespace {

std::vector<double> values_on(const std::vector<const MarsWindow*>& windows,
                              const std::string& method, RunField field) {
  std::vector<double> values;
  for (const MarsWindow* window : windows) {
    const RunSummary* run = find_run(window->runs, method);
    if (run == nullptr || !(run->*field)) return {};
    values.push_back(*(run->*field));
  }
  return values;
}

std::string best_on(const std::vector<const MarsWindow*>& windows, RunField field) {
  std::string best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& name : heuristic_names()) {
    const double mean = mean_of(values_on(windows, name, field));
    if (mean >= least) continue;
    least = mean;
    best = name;
  }
  return best;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

MarsScores::MarsScores(const std::vector<MarsWindow>& windows, std::string workload)
    : workload_(std::move(workload)) {
  for (const MarsWindow& window : windows)
    if (window.workload == workload_)
      (window.part == MarsPart::test ? test_ : training_).push_back(&window);
}

bool MarsScores::has(const std::string& method) const {
  return !test_.empty() && find_run(test_.front()->runs, method) != nullptr;
}

std::vector<double> MarsScores::values(const std::string& method, RunField field) const {
  return values_on(test_, method, field);
}

std::string MarsScores::best_single(RunField field) const {
  return best_on(training_, field);
}

std::string MarsScores::best_on_test(RunField field) const {
  return best_on(test_, field);
}

std::vector<double> MarsScores::hindsight(RunField field) const {
  std::vector<double> least(test_.size(), std::numeric_limits<double>::infinity());
  for (const std::string& name : heuristic_names()) {
    const std::vector<double> values = values_on(test_, name, field);
    for (std::size_t i = 0; i < values.size(); ++i) least[i] = std::min(least[i], values[i]);
  }
  return least;
}

std::vector<MarsScores> mars_scores_of(const std::vector<MarsWindow>& windows) {
  std::vector<MarsScores> scores;
  for (const MarsWindow& window : windows)
    if (scores.empty() || scores.back().workload() != window.workload)
      scores.emplace_back(windows, window.workload);
  return scores;
}

// Tables

namespace {

constexpr RunField kSlowdown = &RunSummary::bounded_slowdown_mean;
constexpr RunField kCostSlowdown = &RunSummary::cost_slowdown_mean;
constexpr double kAim = 0.05;        ///< so much better than the best single heuristic
constexpr double kHindsight = 0.05;  ///< no more than so much worse than the best of each window
constexpr double kHarm = 0.02;       ///< never more than so much worse than the best single one

using Scores = std::vector<double>;

std::string change_text(double part) {
  return fmt::format("{:+.1f} %", 100 * part);
}

/// "-12.3 % [-20.1, -4.0]"; without an interval of one window.
std::string with_interval(const Scores& ours, const Scores& theirs) {
  if (ours.empty() || theirs.empty()) return "-";
  const PairedChange change = paired_change(ours, theirs);
  if (ours.size() < 2) return change_text(change.of_mean);
  return fmt::format("{} [{:+.1f}, {:+.1f}]", change_text(change.of_mean), 100 * change.low,
                     100 * change.high);
}

std::string plain_change(const Scores& ours, const Scores& theirs) {
  if (ours.empty() || theirs.empty()) return "-";
  return change_text(paired_change(ours, theirs).of_mean);
}

std::string mean_text(const Scores& values) {
  return values.empty() ? "-" : fmt::format("{:.2f}", mean_of(values));
}

/// What a method does about one measure.
struct MeasuredMethod {
  const char* title;
  RunField field;
  const char* method;
};
constexpr std::array kMeasuredMethods{
    MeasuredMethod{"Mean bounded slowdown: mars (reward = slowdown)", kSlowdown, "mars"},
    MeasuredMethod{"Cost-weighted bounded slowdown: mars cost (reward = cost)", kCostSlowdown,
                   "mars cost"}};

std::string method_table(const std::vector<MarsScores>& scores, const MeasuredMethod& measured) {
  std::string text = fmt::format(
      "{}\n\nMeans over test windows. best single: the heuristic with the least mean on training "
      "windows; hindsight: the best heuristic of each window;\ntypical: geometric mean over "
      "windows. Brackets: 95 % interval, windows drawn anew in pairs.\n\n{:<10}{:>8}  {:<12}{:>9}"
      "{:>11}{:>9}{:>9}  {:<26}{:>9}  {:<26}{}\n",
      measured.title, "workload", "windows", "best single", "its mean", "hindsight", "rl+easy",
      "mars", "mars against best single", "typical", "against hindsight",
      "rl+easy against best single");
  for (const MarsScores& each : scores) {
    const std::string single = each.best_single(measured.field);
    const Scores theirs = each.values(single, measured.field);
    const Scores ours = each.values(measured.method, measured.field);
    const Scores best = each.hindsight(measured.field);
    const Scores rl = each.values("rl+easy", measured.field);
    text += fmt::format("{:<10}{:>8}  {:<12}{:>9}{:>11}{:>9}{:>9}  {:<26}{:>9}  {:<26}{}\n",
                        each.workload(), each.size(), single, mean_text(theirs), mean_text(best),
                        mean_text(rl), mean_text(ours), with_interval(ours, theirs),
                        change_text(paired_change(ours, theirs).of_middle),
                        with_interval(ours, best), with_interval(rl, theirs));
  }
  return text;
}

/// Against a choice that knew the test windows, though one for all of them.
std::string best_on_test_table(const std::vector<MarsScores>& scores,
                               const MeasuredMethod& measured) {
  std::string text = fmt::format(
      "\nAgainst the heuristic with the least mean on the test windows themselves\n\n"
      "{:<10}{:<12}{:>9}  {}\n",
      "workload", "heuristic", "its mean", "mars against it");
  for (const MarsScores& each : scores) {
    const std::string best = each.best_on_test(measured.field);
    const Scores theirs = each.values(best, measured.field);
    text += fmt::format("{:<10}{:<12}{:>9}  {}\n", each.workload(), best, mean_text(theirs),
                        with_interval(each.values(measured.method, measured.field), theirs));
  }
  return text;
}

/// Which workloads miss an aim: those whose change is above `most`.
template <class Rival>
std::string aim_line(const std::vector<MarsScores>& scores, const MeasuredMethod& measured,
                     const char* aim, double most, const Rival& rival) {
  std::string missed;
  for (const MarsScores& each : scores) {
    const double change =
        paired_change(each.values(measured.method, measured.field), rival(each)).of_mean;
    if (change > most) missed += fmt::format(" {} ({})", each.workload(), change_text(change));
  }
  return fmt::format("  {}: {}\n", aim, missed.empty() ? "on every workload" : "not on" + missed);
}

std::string aims(const std::vector<MarsScores>& scores, const MeasuredMethod& measured) {
  const auto single = [&](const MarsScores& each) {
    return each.values(each.best_single(measured.field), measured.field);
  };
  const auto hindsight = [&](const MarsScores& each) { return each.hindsight(measured.field); };
  return "\n" + aim_line(scores, measured, "5 % better than the best single", -kAim, single) +
         aim_line(scores, measured, "at most 5 % worse than hindsight", kHindsight, hindsight) +
         aim_line(scores, measured, "at most 2 % worse than the best single", kHarm, single);
}

/// Changes of the mean of one method against several others.
std::string change_table(const std::vector<MarsScores>& scores, const std::string& title,
                         const MeasuredMethod& measured, const std::vector<std::string>& rivals) {
  std::string text = fmt::format("\n{}\n\n{:<10}", title, "workload");
  for (const std::string& rival : rivals) text += fmt::format("{:>13}", rival);
  text += "\n";
  for (const MarsScores& each : scores) {
    text += fmt::format("{:<10}", each.workload());
    const Scores ours = each.values(measured.method, measured.field);
    for (const std::string& rival : rivals)
      text += fmt::format("{:>13}", plain_change(ours, each.values(rival, measured.field)));
    text += "\n";
  }
  return text;
}

struct Ablation {
  const char* title;
  const char* method;  ///< `mars` without it
};
constexpr std::array kAblations{
    Ablation{"networks", "mars no networks"}, Ablation{"selector", "rl+easy"},
    Ablation{"update", "mars no update"}, Ablation{"look-ahead", "mars no look-ahead"},
    Ablation{"kept room", "mars plain orders"}};

/// How much worse the mean becomes without each part.
std::string ablation_table(const std::vector<MarsScores>& scores) {
  std::string text =
      "\nWhat becomes of mars without one of its parts: change of mean bounded slowdown, and "
      "without cost of cost-weighted slowdown\n(update: networks do not learn on; selector: "
      "rl+easy; "
      "kept room: only the nine plain orders)\n\nworkload  ";
  for (const Ablation& part : kAblations) text += fmt::format("{:>26}", part.title);
  text += fmt::format("{:>26}\n", "cost");
  for (const MarsScores& each : scores) {
    text += fmt::format("{:<10}", each.workload());
    const Scores whole = each.values("mars", kSlowdown);
    for (const Ablation& part : kAblations)
      text += fmt::format("{:>26}", with_interval(each.values(part.method, kSlowdown), whole));
    text += fmt::format("{:>26}\n", with_interval(each.values("mars", kCostSlowdown),
                                                  each.values("mars cost", kCostSlowdown)));
  }
  return text;
}

struct Other {
  const char* title;
  RunField field;
  double unit;
};
constexpr std::array kOthers{Other{"wait, h", &RunSummary::wait_mean_s, 3600},
                             Other{"energy cost", &RunSummary::energy_cost, 1},
                             Other{"makespan, h", &RunSummary::makespan_s, 3600},
                             Other{"workflow, h", &RunSummary::workflow_makespan_mean_s, 3600}};

/// What else changes when mars minds slowdown only.
std::string other_table(const std::vector<MarsScores>& scores) {
  std::string text =
      "\nOther measures of mars (reward = slowdown): mean, and change against the best single "
      "heuristic for slowdown\n\nworkload  ";
  for (const Other& other : kOthers) text += fmt::format("{:>22}", other.title);
  text += "\n";
  for (const MarsScores& each : scores) {
    text += fmt::format("{:<10}", each.workload());
    const std::string single = each.best_single(kSlowdown);
    for (const Other& other : kOthers) {
      const Scores ours = each.values("mars", other.field);
      const Scores theirs = each.values(single, other.field);
      const double below = mean_of(theirs);
      text += fmt::format("{:>22}", ours.empty() || below == 0
                                        ? "-"
                                        : fmt::format("{:.2f} ({})", mean_of(ours) / other.unit,
                                                      change_text(mean_of(ours) / below - 1)));
    }
    text += "\n";
  }
  return text;
}

std::string time_table(const std::vector<MarsScores>& scores) {
  std::string text = fmt::format("\nRun times\n\n{:<10}{:>22}{:>18}{:>22}\n", "workload",
                                 "us a decision of mars", "s a window of it", "the same, rl+easy");
  for (const MarsScores& each : scores)
    text += fmt::format("{:<10}{:>22.0f}{:>18.2f}{:>22}\n", each.workload(),
                        mean_of(each.values("mars", &RunSummary::decision_mean_us)),
                        mean_of(each.values("mars", &RunSummary::wall_s)),
                        mean_text(each.values("rl+easy", &RunSummary::wall_s)));
  return text;
}

std::string note_on_networks(const std::vector<MarsScores>& scores) {
  std::string without;
  for (const MarsScores& each : scores)
    if (!each.has("rl+easy")) without += " " + each.workload();
  if (without.empty()) return "";
  return fmt::format(
      "\nNo trained networks (--weights) for:{}. There rl is left out and mars chooses among "
      "heuristics alone.\n",
      without);
}

}  // namespace

std::string mars_text(const std::vector<MarsWindow>& windows) {
  const std::vector<MarsScores> scores = mars_scores_of(windows);
  std::string text;
  for (const MeasuredMethod& measured : kMeasuredMethods)
    text += method_table(scores, measured) + best_on_test_table(scores, measured) +
            aims(scores, measured) + "\n";
  text += change_table(scores, "Mean bounded slowdown of mars against the usual heuristics",
                       kMeasuredMethods[0],
                       {"fifo", "fifo+easy", "sjf", "sjf+easy", "wfp3+easy", "unicep+easy",
                        "f1+easy", "f2+easy", "f3+easy", "f4+easy"});
  return text + ablation_table(scores) + other_table(scores) + time_table(scores) +
         note_on_networks(scores);
}

// Files

std::string mars_csv(const std::vector<MarsWindow>& windows) {
  std::string text =
      "workload,part,window,first,policy,jobs,bounded_slowdown_mean,cost_slowdown_mean,wait_mean_s,"
      "energy_cost,makespan_s,workflow_makespan_mean_s,decision_mean_us,decision_p99_us,wall_s\n";
  for (const MarsWindow& window : windows)
    for (const auto& [method, run] : window.runs)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", window.workload,
                          name_of(window.part), window.number, window.first, method,
                          csv_cell(run.jobs_finished), csv_cell(run.bounded_slowdown_mean),
                          csv_cell(run.cost_slowdown_mean), csv_cell(run.wait_mean_s),
                          csv_cell(run.energy_cost), csv_cell(run.makespan_s),
                          csv_cell(run.workflow_makespan_mean_s), csv_cell(run.decision_mean_us),
                          csv_cell(run.decision_p99_us), csv_cell(run.wall_s));
  return text;
}

std::string mars_svg(const std::vector<MarsWindow>& windows, const std::string& workload) {
  const MarsScores scores(windows, workload);
  const RunField slowdown = &RunSummary::bounded_slowdown_mean;
  std::vector<SvgBox> boxes;
  for (const std::string& name : heuristic_names())
    boxes.push_back({name, scores.values(name, slowdown)});
  boxes.push_back({"best in hindsight", scores.hindsight(slowdown)});
  for (const char* name : {"rl", "rl+easy", "mars", "mars cost"})
    boxes.push_back({name, scores.values(name, slowdown), true});
  return svg_boxes(fmt::format("{}: {} test windows", workload, scores.size()),
                   "mean bounded slowdown of a window", boxes);
}

}  // namespace penstock
