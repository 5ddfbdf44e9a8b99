#include <fmt/format.h>

#include "app/mars_scores.h"
#include "report/svg/charts.h"

namespace penstock {
namespace {

/// Empty where there is none.
std::string cell(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string mars_csv(const std::vector<MarsWindow>& windows) {
  std::string text =
      "workload,part,window,first,policy,jobs,bounded_slowdown_mean,cost_slowdown_mean,wait_mean_s,"
      "energy_cost,makespan_s,workflow_makespan_mean_s,decision_mean_us,decision_p99_us,wall_s\n";
  for (const MarsWindow& window : windows)
    for (const auto& [method, run] : window.runs)
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", window.workload, name_of(window.part),
          window.number, window.first, method, cell(run.jobs_finished),
          cell(run.bounded_slowdown_mean), cell(run.cost_slowdown_mean), cell(run.wait_mean_s),
          cell(run.energy_cost), cell(run.makespan_s), cell(run.workflow_makespan_mean_s),
          cell(run.decision_mean_us), cell(run.decision_p99_us), cell(run.wall_s));
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
