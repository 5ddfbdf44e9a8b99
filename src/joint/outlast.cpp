#include "joint/outlast.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "joint/objective.h"

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;
/// How many mean run times ahead a deadline begins to be felt: Vepsalainen and Morton's
/// apparent tardiness cost, whose look-ahead is best between 1 and 4.
constexpr double kLookAhead = 2;

/// Money an hour of a node of the type, for each of its slices, when it is full.
std::vector<double> full_rates(const JointProblem& problem) {
  std::vector<double> rates(problem.types, 0);
  for (const JointNode& node : problem.nodes)
    if (node.gpus > 0) rates[node.type] = node.cost[node.gpus] / (node.gpus * problem.slices);
  return rates;
}

}  // namespace

Outlast::Outlast(const JointProblem& problem)
    : problem_(problem),
      capacity_(problem.types, 0),
      due_(problem.types),
      taken_(problem.types, 0) {
  const auto rates = full_rates(problem);
  for (const JointNode& node : problem.nodes) capacity_[node.type] += node.gpus * problem.slices;
  double all_seconds = 0;
  std::vector<double> fastest;
  for (const JointJob& job : problem.jobs) {
    Waiter& waiter = waiters_.emplace_back(Waiter{job.deadline, job.weight, {}});
    const double lost = lost_seconds(job, std::nullopt);
    double best = std::numeric_limits<double>::infinity();
    for (const JointOption& option : job.options) {
      if (option.slices > capacity_[option.type]) continue;
      const double seconds = lost + option.seconds;
      best = std::min(best, seconds);
      const Way way{
          option.type, option.slices, seconds,
          (rates[option.type] * option.slices + option.own_rate) * seconds / kSecondsPerHour};
      const auto known = std::ranges::find(waiter.ways, option.type, &Way::type);
      if (known == waiter.ways.end())
        waiter.ways.push_back(way);
      else if (way.slices * way.seconds < known->slices * known->seconds)
        *known = way;
    }
    fastest.push_back(best);
    all_seconds += best;
  }
  const double mean = problem.jobs.empty() ? 1 : all_seconds / double(problem.jobs.size());
  std::vector<double> urgency;
  for (std::size_t j = 0; j < waiters_.size(); ++j) {
    const double slack = std::max(0.0, waiters_[j].deadline - problem.now - fastest[j]);
    urgency.push_back(waiters_[j].weight / fastest[j] * std::exp(-slack / (kLookAhead * mean)));
    order_.push_back(static_cast<std::uint32_t>(j));
  }
  std::ranges::stable_sort(order_, std::ranges::greater{},
                           [&](std::uint32_t j) { return urgency[j]; });
}

void Outlast::release(std::uint32_t type, std::uint32_t slices, double when) {
  for (std::uint32_t i = 0; i < slices; ++i) {
    due_[type].push_back(when);
    std::ranges::push_heap(due_[type], std::ranges::greater{});
  }
}

double Outlast::ready_at(const Way& way) const {
  const auto& due = due_[way.type];
  if (way.slices == 1) return due.front();
  std::vector<double> first(way.slices);
  std::ranges::partial_sort_copy(due, first);
  return first.back();
}

double Outlast::start(const Waiter& waiter) {
  const Way* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  double begin = 0;
  for (const Way& way : waiter.ways) {
    const double ready = ready_at(way);
    const double end = problem_.now + ready + way.seconds;
    const double cost = way.energy + waiter.weight * std::max(0.0, end - waiter.deadline);
    if (cost > least || (cost == least && ready >= begin)) continue;
    least = cost;
    best = &way;
    begin = ready;
  }
  if (best == nullptr) return 0;
  auto& due = due_[best->type];
  for (std::uint32_t i = 0; i < best->slices; ++i) {
    std::ranges::pop_heap(due, std::ranges::greater{});
    due.pop_back();
  }
  release(best->type, best->slices, begin + best->seconds);
  return least;
}

double Outlast::cost(const Assignments& plan) {
  for (auto& due : due_) due.clear();
  std::ranges::fill(taken_, 0);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) continue;
    const JointOption& option = problem_.jobs[j].options[plan[j]->option];
    taken_[option.type] += option.slices;
    due_[option.type].insert(due_[option.type].end(), option.slices,
                             run_seconds(problem_.jobs[j], *plan[j]));
  }
  for (std::uint32_t t = 0; t < problem_.types; ++t) {
    due_[t].insert(due_[t].end(), capacity_[t] - taken_[t], 0.0);
    std::ranges::make_heap(due_[t], std::ranges::greater{});
  }
  double sum = 0;
  for (const std::uint32_t j : order_)
    if (!plan[j]) sum += start(waiters_[j]);
  return sum;
}

}  // namespace penstock
