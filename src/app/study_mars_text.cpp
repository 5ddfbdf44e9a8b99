#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/mars_scores.h"
#include "report/measures/statistics.h"

namespace penstock {
namespace {

constexpr RunField kSlowdown = &RunSummary::bounded_slowdown_mean;
constexpr RunField kCostSlowdown = &RunSummary::cost_slowdown_mean;
constexpr double kAim = 0.05;        ///< so much better than the best single heuristic
constexpr double kHindsight = 0.05;  ///< no more than so much worse than the best of each window
constexpr double kHarm = 0.02;       ///< never more than so much worse than the best single one

using Values = std::vector<double>;

std::string percent(double part) {
  return fmt::format("{:+.1f} %", 100 * part);
}

/// "-12.3 % [-20.1, -4.0]"; without an interval of one window.
std::string with_interval(const Values& ours, const Values& theirs) {
  if (ours.empty() || theirs.empty()) return "-";
  const PairedChange change = paired_change(ours, theirs);
  if (ours.size() < 2) return percent(change.of_mean);
  return fmt::format("{} [{:+.1f}, {:+.1f}]", percent(change.of_mean), 100 * change.low,
                     100 * change.high);
}

std::string plain_change(const Values& ours, const Values& theirs) {
  if (ours.empty() || theirs.empty()) return "-";
  return percent(paired_change(ours, theirs).of_mean);
}

std::string mean_text(const Values& values) {
  return values.empty() ? "-" : fmt::format("{:.2f}", mean_of(values));
}

/// What a method does about one measure.
struct Contest {
  const char* title;
  RunField field;
  const char* method;
};
constexpr std::array kContests{
    Contest{"Mean bounded slowdown: mars (reward = slowdown)", kSlowdown, "mars"},
    Contest{"Cost-weighted bounded slowdown: mars cost (reward = cost)", kCostSlowdown,
            "mars cost"}};

std::string contest_table(const std::vector<MarsScores>& scores, const Contest& contest) {
  std::string text = fmt::format(
      "{}\n\nMeans over test windows. best single: the heuristic with the least mean on training "
      "windows; hindsight: the best heuristic of each window;\ntypical: geometric mean over "
      "windows. Brackets: 95 % interval, windows drawn anew in pairs.\n\n{:<10}{:>8}  {:<12}{:>9}"
      "{:>11}{:>9}{:>9}  {:<26}{:>9}  {:<26}{}\n",
      contest.title, "workload", "windows", "best single", "its mean", "hindsight", "rl+easy",
      "mars", "mars against best single", "typical", "against hindsight",
      "rl+easy against best single");
  for (const MarsScores& each : scores) {
    const std::string single = each.best_single(contest.field);
    const Values theirs = each.values(single, contest.field);
    const Values ours = each.values(contest.method, contest.field);
    const Values best = each.hindsight(contest.field);
    const Values rl = each.values("rl+easy", contest.field);
    text += fmt::format("{:<10}{:>8}  {:<12}{:>9}{:>11}{:>9}{:>9}  {:<26}{:>9}  {:<26}{}\n",
                        each.workload(), each.size(), single, mean_text(theirs), mean_text(best),
                        mean_text(rl), mean_text(ours), with_interval(ours, theirs),
                        percent(paired_change(ours, theirs).of_middle), with_interval(ours, best),
                        with_interval(rl, theirs));
  }
  return text;
}

/// Against a choice that knew the test windows, though one for all of them.
std::string luck_table(const std::vector<MarsScores>& scores, const Contest& contest) {
  std::string text = fmt::format(
      "\nAgainst the heuristic with the least mean on the test windows themselves\n\n"
      "{:<10}{:<12}{:>9}  {}\n",
      "workload", "heuristic", "its mean", "mars against it");
  for (const MarsScores& each : scores) {
    const std::string best = each.best_on_test(contest.field);
    const Values theirs = each.values(best, contest.field);
    text += fmt::format("{:<10}{:<12}{:>9}  {}\n", each.workload(), best, mean_text(theirs),
                        with_interval(each.values(contest.method, contest.field), theirs));
  }
  return text;
}

/// Which workloads miss an aim: those whose change is above `most`.
template <class Rival>
std::string aim_line(const std::vector<MarsScores>& scores, const Contest& contest, const char* aim,
                     double most, const Rival& rival) {
  std::string missed;
  for (const MarsScores& each : scores) {
    const double change =
        paired_change(each.values(contest.method, contest.field), rival(each)).of_mean;
    if (change > most) missed += fmt::format(" {} ({})", each.workload(), percent(change));
  }
  return fmt::format("  {}: {}\n", aim, missed.empty() ? "on every workload" : "not on" + missed);
}

std::string aims(const std::vector<MarsScores>& scores, const Contest& contest) {
  const auto single = [&](const MarsScores& each) {
    return each.values(each.best_single(contest.field), contest.field);
  };
  const auto hindsight = [&](const MarsScores& each) { return each.hindsight(contest.field); };
  return "\n" + aim_line(scores, contest, "5 % better than the best single", -kAim, single) +
         aim_line(scores, contest, "at most 5 % worse than hindsight", kHindsight, hindsight) +
         aim_line(scores, contest, "at most 2 % worse than the best single", kHarm, single);
}

/// Changes of the mean of one method against several others.
std::string change_table(const std::vector<MarsScores>& scores, const std::string& title,
                         const Contest& contest, const std::vector<std::string>& rivals) {
  std::string text = fmt::format("\n{}\n\n{:<10}", title, "workload");
  for (const std::string& rival : rivals) text += fmt::format("{:>13}", rival);
  text += "\n";
  for (const MarsScores& each : scores) {
    text += fmt::format("{:<10}", each.workload());
    const Values ours = each.values(contest.method, contest.field);
    for (const std::string& rival : rivals)
      text += fmt::format("{:>13}", plain_change(ours, each.values(rival, contest.field)));
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
    const Values whole = each.values("mars", kSlowdown);
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
      const Values ours = each.values("mars", other.field);
      const Values theirs = each.values(single, other.field);
      const double below = mean_of(theirs);
      text += fmt::format("{:>22}", ours.empty() || below == 0
                                        ? "-"
                                        : fmt::format("{:.2f} ({})", mean_of(ours) / other.unit,
                                                      percent(mean_of(ours) / below - 1)));
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
  const std::vector<MarsScores> scores = scores_of(windows);
  std::string text;
  for (const Contest& contest : kContests)
    text +=
        contest_table(scores, contest) + luck_table(scores, contest) + aims(scores, contest) + "\n";
  text += change_table(scores, "Mean bounded slowdown of mars against the usual heuristics",
                       kContests[0],
                       {"fifo", "fifo+easy", "sjf", "sjf+easy", "wfp3+easy", "unicep+easy",
                        "f1+easy", "f2+easy", "f3+easy", "f4+easy"});
  return text + ablation_table(scores) + other_table(scores) + time_table(scores) +
         note_on_networks(scores);
}

}  // namespace penstock
