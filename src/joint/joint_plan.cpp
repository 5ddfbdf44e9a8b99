#include "joint/joint_plan.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace penstock {

Filling::Filling(const JointProblem& problem) : problem_(problem) {
  for (const JointNode& node : problem.nodes) {
    capacity_.push_back(node.gpus * problem.slices);
    levels_ = std::max(levels_, capacity_.back() + 1);
  }
  clear();
}

void Filling::clear() {
  const std::size_t nodes = capacity_.size();
  used_.assign(nodes, 0);
  next_.assign(nodes, kNone);
  previous_.assign(nodes, kNone);
  in_use_.assign(std::size_t(problem_.types) * levels_, kNone);
  unused_ = in_use_;
  free_ = 0;
  for (auto n = static_cast<std::uint32_t>(nodes); n-- > 0;) {  // the first on top
    link(n);
    free_ += capacity_[n];
  }
}

std::uint32_t& Filling::bucket(std::uint32_t node) {
  auto& buckets = used_[node] == 0 ? unused_ : in_use_;
  return buckets[std::size_t(problem_.nodes[node].type) * levels_ + free(node)];
}

void Filling::link(std::uint32_t node) {
  std::uint32_t& first = bucket(node);
  previous_[node] = kNone;
  next_[node] = first;
  if (first != kNone) previous_[first] = node;
  first = node;
}

void Filling::unlink(std::uint32_t node) {
  if (previous_[node] != kNone)
    next_[previous_[node]] = next_[node];
  else
    bucket(node) = next_[node];
  if (next_[node] != kNone) previous_[next_[node]] = previous_[node];
}

void Filling::take(std::uint32_t node, std::uint32_t slices) {
  PENSTOCK_CHECK(slices <= free(node));
  use(node, used_[node] + slices);
}

void Filling::give(std::uint32_t node, std::uint32_t slices) {
  PENSTOCK_CHECK(slices <= used_[node]);
  use(node, used_[node] - slices);
}

void Filling::use(std::uint32_t node, std::uint32_t slices) {
  unlink(node);
  free_ -= free(node);
  used_[node] = slices;
  free_ += free(node);
  link(node);
}

/// Visits nodes from the best fit on, until told to stop.
template <class Visit>
void Filling::visit(std::uint32_t type, std::uint32_t slices, Visit visit) const {
  const std::size_t row = std::size_t(type) * levels_;
  for (std::uint32_t level = slices; level < levels_; ++level)
    for (std::uint32_t n = in_use_[row + level]; n != kNone; n = next_[n])
      if (!visit(n)) return;
  for (std::uint32_t level = levels_; level-- > slices;)
    for (std::uint32_t n = unused_[row + level]; n != kNone; n = next_[n])
      if (!visit(n)) return;
}

std::optional<std::uint32_t> Filling::best_fit(std::uint32_t type, std::uint32_t slices,
                                               std::uint32_t rank) const {
  std::optional<std::uint32_t> best;
  visit(type, slices, [&](std::uint32_t node) {
    best = node;
    return rank-- > 0;
  });
  return best;
}

std::uint32_t Filling::fits(std::uint32_t type, std::uint32_t slices, std::uint32_t most) const {
  std::uint32_t count = 0;
  visit(type, slices, [&](std::uint32_t) { return ++count < most; });
  return count;
}

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::unique_ptr<const Values> values_for(const JointProblem& problem, JointAim aim) {
  return aim == JointAim::pace ? std::make_unique<const Values>(problem) : nullptr;
}

}  // namespace

JointPlan::JointPlan(const JointProblem& problem, const Values* values)
    : problem_(problem),
      values_(values),
      filling_(problem),
      plan_(problem.jobs.size()),
      on_(problem.nodes.size()),
      waiting_(problem.jobs.size()) {
  for (const JointNode& node : problem.nodes) rate_ += node.cost[0];
  if (values_ == nullptr) {
    prepare_published();
    return;
  }
  for (std::uint32_t j = 0; j < problem.jobs.size(); ++j) constant_ += values_->waiting(j);
}

JointPlan::JointPlan(const JointProblem& problem, const Values* values, const Assignments& plan)
    : JointPlan(problem, values) {
  set_all(plan);
}

JointPlan::JointPlan(const JointProblem& problem, std::unique_ptr<const Values> values)
    : JointPlan(problem, values.get()) {
  own_ = std::move(values);
}

JointPlan::JointPlan(const JointProblem& problem, JointAim aim)
    : JointPlan(problem, values_for(problem, aim)) {}

JointPlan::JointPlan(const JointProblem& problem, JointAim aim, const Assignments& plan)
    : JointPlan(problem, aim) {
  set_all(plan);
}

void JointPlan::set_all(const Assignments& plan) {
  for (std::uint32_t job = 0; job < plan.size(); ++job) set(job, plan[job]);
}

void JointPlan::prepare_published() {
  for (const JointJob& job : problem_.jobs) {
    penalties_.push_back(waiting_penalty(problem_, job));
    constant_ += penalties_.back();
    for (const double lost : {0.0, job.restart})
      if (job.deadline != kNever) due_.push_back(job.deadline - problem_.now - lost);
  }
  std::ranges::sort(due_);
  due_.erase(std::unique(due_.begin(), due_.end()), due_.end());
  const auto key = [&](double due) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(due_, due) - due_.begin());
  };
  for (const JointJob& job : problem_.jobs)
    keys_.emplace_back(key(job.deadline - problem_.now),
                       key(job.deadline - problem_.now - job.restart));
  weights_.assign(due_.size() + 1, 0);
  weighted_due_ = weights_;
  while (leaves_ < problem_.jobs.size()) leaves_ *= 2;
  first_.assign(2 * leaves_, kNever);
}

bool JointPlan::has_room(std::uint32_t job, const Assignment& to) const {
  const JointJob& it = problem_.jobs[job];
  const JointOption& option = it.options[to.option];
  if (problem_.nodes[to.node].type != option.type) return false;
  const bool stays = plan_[job] && plan_[job]->node == to.node;
  const std::uint32_t own = stays ? it.options[plan_[job]->option].slices : 0;
  return option.slices <= filling_.free_without(to.node, own);
}

void JointPlan::set(std::uint32_t job, const std::optional<Assignment>& to) {
  if (plan_[job] == to) return;
  if (plan_[job]) remove(job);
  if (to) add(job, *to);
}

double JointPlan::node_rate(std::uint32_t node) const {
  return problem_.nodes[node].cost[gpus_for(filling_.used(node), problem_.slices)];
}

void JointPlan::add(std::uint32_t job, const Assignment& at) {
  const JointJob& it = problem_.jobs[job];
  const JointOption& option = it.options[at.option];
  plan_[job] = at;
  --waiting_;
  on_[at.node].push_back(job);
  rate_ += option.own_rate - node_rate(at.node);
  filling_.take(at.node, option.slices);
  rate_ += node_rate(at.node);
  if (values_) {
    constant_ += values_->running(job, at) - values_->waiting(job);
    return;
  }
  constant_ += restart_cost(problem_, it, at) - penalties_[job];
  change_seconds(job, run_seconds(it, at));
  weigh(lost_seconds(it, at) > 0 ? keys_[job].second : keys_[job].first, it.weight);
}

void JointPlan::remove(std::uint32_t job) {
  const JointJob& it = problem_.jobs[job];
  const Assignment at = *plan_[job];
  const JointOption& option = it.options[at.option];
  plan_[job] = std::nullopt;
  ++waiting_;
  std::erase(on_[at.node], job);
  rate_ -= option.own_rate + node_rate(at.node);
  filling_.give(at.node, option.slices);
  rate_ += node_rate(at.node);
  if (values_) {
    constant_ += values_->waiting(job) - values_->running(job, at);
    return;
  }
  constant_ += penalties_[job] - restart_cost(problem_, it, at);
  change_seconds(job, kNever);
  weigh(lost_seconds(it, at) > 0 ? keys_[job].second : keys_[job].first, -it.weight);
}

void JointPlan::change_seconds(std::uint32_t job, double seconds) {
  std::size_t at = leaves_ + job;
  first_[at] = seconds;
  for (at /= 2; at > 0; at /= 2) {
    const double least = std::min(first_[2 * at], first_[2 * at + 1]);
    if (first_[at] == least) return;
    first_[at] = least;
  }
}

void JointPlan::weigh(std::uint32_t key, double weight) {
  if (key >= due_.size()) return;  // no deadline
  for (std::size_t i = key + 1; i < weights_.size(); i += i & (~i + 1)) {
    weights_[i] += weight;
    weighted_due_[i] += weight * due_[key];
  }
}

double JointPlan::tardiness_at(double until) const {
  const auto late = static_cast<std::size_t>(std::ranges::lower_bound(due_, until) - due_.begin());
  double weight = 0;
  double weighted = 0;
  for (std::size_t i = late; i > 0; i -= i & (~i + 1)) {
    weight += weights_[i];
    weighted += weighted_due_[i];
  }
  return std::max(0.0, weight * until - weighted);
}

JointPlan::NodeChange& JointPlan::change_of(std::uint32_t node,
                                            std::vector<NodeChange>& nodes) const {
  for (NodeChange& known : nodes)
    if (known.node == node) return known;
  return nodes.emplace_back(node, filling_.used(node));
}

/// Money an hour for what one job brings, without its node.
double JointPlan::value_of(std::uint32_t job, const std::optional<Assignment>& at) const {
  if (!at) return values_->waiting(job) * kSecondsPerHour;
  return problem_.jobs[job].options[at->option].own_rate +
         values_->running(job, *at) * kSecondsPerHour;
}

double JointPlan::cost_of(const NodeChange& change) const {
  const auto& cost = problem_.nodes[change.node].cost;
  return cost[gpus_for(change.used, problem_.slices)] -
         cost[gpus_for(filling_.used(change.node), problem_.slices)];
}

/// Which nodes the changes concern; false if a job has no such way on its node.
bool JointPlan::find_nodes(std::span<const Change> changes) const {
  estimated_.clear();
  for (const Change& change : changes)
    if (const auto& now = plan_[change.job])
      change_of(now->node, estimated_).used -=
          problem_.jobs[change.job].options[now->option].slices;
  for (const Change& change : changes) {
    if (!change.to) continue;
    const JointOption& option = problem_.jobs[change.job].options[change.to->option];
    if (problem_.nodes[change.to->node].type != option.type) return false;
    change_of(change.to->node, estimated_).used += option.slices;
  }
  return true;
}

ChangeEstimate JointPlan::estimate(std::span<const Change> changes) const {
  if (values_ == nullptr || problem_.unique) return {};
  if (!find_nodes(changes)) return {.has_room = false};
  ChangeEstimate found{.is_exact = true};
  for (const Change& change : changes) {
    found.cost += value_of(change.job, change.to) - value_of(change.job, plan_[change.job]);
    if (!change.to) found.is_exact = false;  // it may start elsewhere
  }
  for (const NodeChange& node : estimated_) {
    const std::uint32_t all = filling_.used(node.node) + filling_.free(node.node);
    if (node.used > all) return {.has_room = false};
    if (node.used < all && waiting_ > 0) found.is_exact = false;
    found.cost += cost_of(node);
  }
  return found;
}

double JointPlan::cost() const {
  if (values_) return rate_ + constant_ * kSecondsPerHour;
  const double until = first_[1] == kNever ? 0 : first_[1];
  return rate_ * until / kSecondsPerHour + constant_ + tardiness_at(until);
}

}  // namespace penstock
