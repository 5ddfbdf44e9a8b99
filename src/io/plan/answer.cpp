#include "io/plan/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace penstock {
namespace {

/// Hours past the deadline if the job ends in `seconds`.
double late_hours(const JointProblem& problem, const JointJob& job, double seconds) {
  return std::max(0.0, problem.now + seconds - job.deadline) / kSecondsAnHour;
}

std::string json_quoted(const std::string& name) {
  return nlohmann::json(name).dump();
}

void add_running(std::string& out, const JointProblem& problem, const JointJob& job,
                 const Assignment& at) {
  const JointOption& option = job.options[at.option];
  const double lost = job.running && *job.running != at ? job.restart : 0;
  fmt::format_to(std::back_inserter(out),
                 "    {}: {{\"node\": {}, \"nGPUs\": {}, \"expected_tardiness\": {}{}}}",
                 json_quoted(job.name), json_quoted(problem.nodes[at.node].name),
                 option.slices / static_cast<double>(problem.slices),
                 late_hours(problem, job, option.seconds + lost),
                 option.clock_mhz > 0 ? fmt::format(", \"clock\": {}", option.clock_mhz) : "");
}

/// As if it began its fastest option when the first job of the plan ends.
void add_waiting(std::string& out, const JointProblem& problem, const JointJob& job,
                 double first_finish) {
  const auto fastest = std::ranges::min_element(job.options, {}, &JointOption::seconds);
  const double lost = job.running ? job.restart : 0;
  fmt::format_to(std::back_inserter(out), "    {}: {{\"expected_tardiness\": {}}}",
                 json_quoted(job.name),
                 late_hours(problem, job, first_finish + lost + fastest->seconds));
}

/// {"a": …, "b": …} of the jobs that run, or of those that wait.
std::string jobs_json(const JointProblem& problem, const JointResult& result, bool run) {
  std::string out = "{";
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto& at = result.jobs[i];
    if (at.has_value() != run) continue;
    out += out.size() == 1 ? "\n" : ",\n";
    if (at) add_running(out, problem, problem.jobs[i], *at);
    if (!at) add_waiting(out, problem, problem.jobs[i], result.first_finish);
  }
  return out + (out.size() == 1 ? "}" : "\n  }");
}

std::string details_json(const PlanRequest& request, const JointResult& result, double seconds) {
  std::string out = fmt::format(
      "{{\n    \"method\": \"{}\",\n    \"seed\": {},\n"
      "    \"energy_cost\": {},\n    \"tardiness_cost\": {},\n    \"waiting_penalty\": {},\n"
      "    \"objective\": {},\n    \"evaluated\": {},\n    \"seconds\": {}",
      plan_method_name(request.settings.method), request.settings.seed, result.cost.energy,
      result.cost.tardiness, result.cost.waiting, result.cost.total(), result.evaluated, seconds);
  if (result.at_least) {
    const double total = result.cost.total();
    const double gap = total > 0 ? std::max(0.0, total - *result.at_least) / total : 0;
    out += fmt::format(",\n    \"at_least\": {},\n    \"gap\": {}", *result.at_least, gap);
  }
  return out + "\n  }";
}

bool runs_any_job(const JointResult& result) {
  return std::ranges::any_of(result.jobs, [](const auto& at) { return at.has_value(); });
}

std::string next_time(const PlanRequest& request, const JointResult& result) {
  if (!runs_any_job(result)) return "null";
  return instant_json({.seconds = request.problem.now + result.first_finish, .form = request.form});
}

}  // namespace

std::string answer_plan(const PlanRequest& request, MakePlan& make_plan) {
  const auto begun = std::chrono::steady_clock::now();
  const JointResult result = make_plan(request.problem, request.settings);
  PENSTOCK_CHECK(result.jobs.size() == request.problem.jobs.size());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::string out = fmt::format(
      "{{\n  \"estimated_cost\": {},\n  \"estimated_rescheduling_time\": {},\n  \"jobs\": {}",
      result.cost.energy + result.cost.tardiness, next_time(request, result),
      jobs_json(request.problem, result, true));
  out += ",\n  \"waiting\": " + jobs_json(request.problem, result, false);
  if (result.cut_short) out += ",\n  \"cut_short\": true";
  if (request.verbose) out += ",\n  \"details\": " + details_json(request, result, took.count());
  return out + "\n}\n";
}

}  // namespace penstock
