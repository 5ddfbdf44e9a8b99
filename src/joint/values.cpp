#include "joint/values.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "joint/marginal_cost.h"
#include "joint/objective.h"

namespace penstock {
namespace {

// Tuned on ANDREAS's workloads with 10 nodes and seeds 1 to 3, which the study does not report.
constexpr double kUrgency = 0.12;
constexpr double kUrgencyAtEase = 0.01;
constexpr double kScarce = 0.7;

/// The fewest slices with which a job meets its deadline; if none do, those that waste least.
double slices_needed(const JointJob& job, double now) {
  double fewest = std::numeric_limits<double>::infinity();
  const JointOption* thriftiest = &job.options.front();
  for (const JointOption& option : job.options) {
    if (now + option.seconds <= job.deadline) fewest = std::min(fewest, double(option.slices));
    if (option.slices * option.seconds < thriftiest->slices * thriftiest->seconds)
      thriftiest = &option;
  }
  return std::isfinite(fewest) ? fewest : thriftiest->slices;
}

}  // namespace

bool Values::is_scarce() const {
  double needed = 0;
  double there = 0;
  for (const JointJob& job : problem_.jobs) needed += slices_needed(job, problem_.now);
  for (const JointNode& node : problem_.nodes) there += node.gpus * problem_.slices;
  return needed > kScarce * there;
}

Values::Values(const JointProblem& problem)
    : problem_(problem), scarce_(is_scarce()), order_(problem.jobs.size()) {
  for (const JointJob& job : problem.jobs)
    fastest_.push_back(std::ranges::min(job.options, {}, &JointOption::seconds).seconds);
  const double jobs = std::max(1.0, static_cast<double>(fastest_.size()));
  const double mean = std::accumulate(fastest_.begin(), fastest_.end(), 0.0) / jobs;
  const auto rates = full_rates(problem);
  std::vector<double> slack;
  std::vector<double> index;
  for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
    const JointJob& job = problem.jobs[j];
    slack.push_back(job.deadline - problem.now - fastest_[j]);
    const double urgency = job.weight * std::exp(-std::max(0.0, slack[j]) / mean);
    index.push_back(urgency / fastest_[j]);
    const double least = marginal_cost(job, rates, job.deadline - problem.now);
    worth_.push_back(least * problem.later +
                     (scarce_ ? kUrgency : kUrgencyAtEase) * urgency * mean);
  }
  find_waiting(slack);
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, std::ranges::greater{},
                           [&](std::uint32_t j) { return index[j]; });
}

void Values::find_waiting(const std::vector<double>& slack) {
  waiting_.assign(slack.size(), 0);
  if (scarce_) return;
  for (std::size_t j = 0; j < slack.size(); ++j)
    waiting_[j] = problem_.jobs[j].weight *
                  std::clamp((problem_.interval - slack[j]) / problem_.interval, 0.0, 1.0);
}

double Values::running(std::uint32_t job, const Assignment& at) const {
  const JointJob& it = problem_.jobs[job];
  const double seconds = it.options[at.option].seconds;
  const double lost = lost_seconds(it, at);
  const double pace = std::max(0.0, 1 - lost / problem_.interval) / seconds;
  const double value = -worth_[job] * pace;
  if (scarce_) return value;
  const double until = std::max(fastest_[job], it.deadline - problem_.now);
  return value + it.weight * std::max(0.0, seconds + lost - until) / (seconds + lost);
}

}  // namespace penstock
