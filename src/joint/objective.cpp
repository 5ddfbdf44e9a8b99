#include "joint/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace penstock {
namespace {

// Tuned on ANDREAS's workloads with 10 nodes and seeds 1 to 3, which the study does not report,
// with their weights of tardiness, ten and a hundred times as much.
constexpr double kUrgency = 0.12;
constexpr double kUrgencyInCrowd = 0.5;
constexpr double kUrgencyAtEase = 0.01;
constexpr double kMostUrgencyAtEase = 0.1;  ///< of the marginal cost
constexpr double kScarce = 0.7;
constexpr double kCaution = 0.9;  ///< of the time left
constexpr double kCrowdFrom = 1;
constexpr double kCrowdOver = 0.5;

double gpu_time(const JointOption& option) {
  return option.slices * option.seconds;
}

const JointOption& thriftiest(const JointJob& job) {
  return *std::ranges::min_element(job.options, {}, gpu_time);
}

double slices_needed(const JointJob& job, double now) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const JointOption& option : job.options)
    if (now + option.seconds <= job.deadline) fewest = std::min(fewest, double(option.slices));
  return std::isfinite(fewest) ? fewest : thriftiest(job).slices;
}

double slices_of(const JointProblem& problem) {
  double there = 0;
  for (const JointNode& node : problem.nodes) there += node.gpus * problem.slices;
  return there;
}

bool is_scarce(const JointProblem& problem, double needed) {
  return needed > kScarce * slices_of(problem);
}

}  // namespace

std::vector<double> slices_needed(const JointProblem& problem) {
  std::vector<double> needed;
  needed.reserve(problem.jobs.size());
  for (const JointJob& job : problem.jobs) needed.push_back(slices_needed(job, problem.now));
  return needed;
}

bool gpus_are_scarce(const JointProblem& problem) {
  const std::vector<double> needed = slices_needed(problem);
  return is_scarce(problem, std::accumulate(needed.begin(), needed.end(), 0.0));
}

void Values::find_needs() {
  needed_ = slices_needed(problem_);
  for (const double needed : needed_) all_needed_ += needed;
}

/// How long the queue is: see Values.
void Values::find_crowd() {
  double work = 0;
  double seconds = 0;
  for (const JointJob& job : problem_.jobs) {
    work += gpu_time(thriftiest(job));
    seconds += thriftiest(job).seconds;
  }
  if (seconds <= 0) return;
  const double mean = seconds / static_cast<double>(problem_.jobs.size());
  const double rounds = work / std::max(1.0, slices_of(problem_)) / mean;
  crowd_ = std::clamp((rounds - kCrowdFrom) / kCrowdOver, 0.0, 1.0);
}

Values::Values(const JointProblem& problem) : problem_(problem), order_(problem.jobs.size()) {
  find_needs();
  scarce_ = is_scarce(problem, all_needed_);
  if (scarce_) find_crowd();
  for (const JointJob& job : problem.jobs)
    fastest_.push_back(std::ranges::min(job.options, {}, &JointOption::seconds).seconds);
  const double jobs = std::max(1.0, static_cast<double>(fastest_.size()));
  const double mean = std::accumulate(fastest_.begin(), fastest_.end(), 0.0) / jobs;
  std::vector<double> slack;
  slack.reserve(problem.jobs.size());
  for (std::size_t j = 0; j < problem.jobs.size(); ++j)
    slack.push_back(problem.jobs[j].deadline - problem.now - fastest_[j]);
  find_worths(slack, mean);
  find_waiting(slack);
  find_running();
}

/// And the order of jobs.
void Values::find_worths(const std::vector<double>& slack, double mean) {
  const Rates rates(problem_);
  std::vector<double> index;
  for (std::size_t j = 0; j < slack.size(); ++j) {
    const JointJob& job = problem_.jobs[j];
    const double urgency = job.weight * std::exp(-std::max(0.0, slack[j]) / mean);
    index.push_back(urgency / fastest_[j]);
    const double least =
        marginal_cost(job, rates, job.deadline - problem_.now, all_needed_ - needed_[j]);
    double worth = job.worth.value_or(least * problem_.later);
    if (!scarce_) worth += std::min(kUrgencyAtEase * urgency * mean, kMostUrgencyAtEase * least);
    const double scarce = kUrgency + (kUrgencyInCrowd - kUrgency) * crowd_;
    worth_.push_back(worth);
    urgency_.push_back(scarce_ ? scarce * urgency * mean : 0);
  }
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, std::ranges::greater{},
                           [&](std::uint32_t j) { return index[j]; });
}

/// The part of the GPU time in one way that the best way on the same type needs too, to the power
/// of the crowd.
double Values::useful_part(std::uint32_t job, const JointOption& option) const {
  double least = gpu_time(option);
  for (const JointOption& other : problem_.jobs[job].options)
    if (other.type == option.type) least = std::min(least, gpu_time(other));
  return std::pow(least / gpu_time(option), crowd_);
}

/// The part of a way's speed that is needed to be in time: of the slowest way that is. In a crowd,
/// where GPUs that are not wasted are soon free for others, all of it counts.
double Values::needed_part(std::uint32_t job, double seconds, double lost) const {
  const JointJob& it = problem_.jobs[job];
  const double left = kCaution * (it.deadline - problem_.now);
  double slowest = fastest_[job];
  for (const JointOption& option : it.options)
    if (option.seconds + lost <= left) slowest = std::max(slowest, option.seconds);
  return std::pow(std::min(1.0, seconds / slowest), 1 - crowd_);
}

void Values::find_waiting(const std::vector<double>& slack) {
  waiting_.assign(slack.size(), 0);
  for (std::size_t j = 0; j < slack.size(); ++j) {
    const JointJob& job = problem_.jobs[j];
    if (!job.running || job.restart <= 0) continue;
    const double seconds = job.options[job.running->option].seconds;
    waiting_[j] = (worth_[j] + urgency_[j]) * lost_part(seconds, job.restart) / seconds;
  }
  if (scarce_) return;
  for (std::size_t j = 0; j < slack.size(); ++j)
    waiting_[j] += problem_.jobs[j].weight *
                   std::clamp((problem_.interval - slack[j]) / problem_.interval, 0.0, 1.0);
}

/// Of the time in which the job stays as it is put now, the part that a restart takes.
double Values::lost_part(double seconds, double lost) const {
  return std::min(1.0, lost / std::min(problem_.interval, seconds + lost));
}

void Values::find_running() {
  for (std::uint32_t job = 0; job < problem_.jobs.size(); ++job) {
    const JointJob& it = problem_.jobs[job];
    going_on_.push_back(it.running ? value(job, it.running->option, 0) : 0);
    first_option_.push_back(changed_.size());
    for (std::uint32_t option = 0; option < it.options.size(); ++option)
      changed_.push_back(value(job, option, it.running ? it.restart : 0));
  }
}

double Values::value(std::uint32_t job, std::uint32_t option, double lost) const {
  const JointJob& it = problem_.jobs[job];
  const double seconds = it.options[option].seconds;
  const double pace = (1 - lost_part(seconds, lost)) / seconds;
  const double needed = urgency_[job] > 0 ? needed_part(job, seconds, lost) : 1;
  double value = -(worth_[job] + urgency_[job] * needed) * pace;
  if (crowd_ > 0) value *= useful_part(job, it.options[option]);
  if (scarce_) return value;
  const double until = std::max(fastest_[job], it.deadline - problem_.now);
  return value + it.weight * std::max(0.0, seconds + lost - until) / (seconds + lost);
}

namespace {

constexpr double kWaitingPenalty = 100;  // as published

std::vector<std::uint32_t> slices_used(const JointProblem& problem, const Assignments& plan) {
  std::vector<std::uint32_t> used(problem.nodes.size(), 0);
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (plan[j]) used[plan[j]->node] += problem.jobs[j].options[plan[j]->option].slices;
  return used;
}

JointCost until_first_finish(const JointProblem& problem, const Assignments& plan) {
  JointCost cost;
  const double until = first_finish(problem, plan);
  const auto used = slices_used(problem, plan);
  for (std::size_t n = 0; n < used.size(); ++n)
    cost.energy +=
        problem.nodes[n].cost[gpus_for(used[n], problem.slices)] * until / kSecondsPerHour;
  for (std::uint32_t j = 0; j < plan.size(); ++j) {
    const JointJob& job = problem.jobs[j];
    if (!plan[j]) {
      cost.waiting += waiting_penalty(problem, job);
      continue;
    }
    cost.energy += job.options[plan[j]->option].own_rate * until / kSecondsPerHour +
                   restart_cost(problem, job, *plan[j]);
    cost.tardiness +=
        job.weight * std::max(0.0, problem.now + until + lost_seconds(job, plan[j]) - job.deadline);
  }
  return cost;
}

JointCost for_an_hour(const JointProblem& problem, const Assignments& plan, const Values& values) {
  JointCost cost;
  const auto used = slices_used(problem, plan);
  for (std::size_t n = 0; n < used.size(); ++n)
    cost.energy += problem.nodes[n].cost[gpus_for(used[n], problem.slices)];
  for (std::uint32_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) {
      cost.waiting += values.waiting(j) * kSecondsPerHour;
      continue;
    }
    cost.energy += problem.jobs[j].options[plan[j]->option].own_rate;
    cost.tardiness += values.running(j, *plan[j]) * kSecondsPerHour;
  }
  return cost;
}

}  // namespace

double lost_seconds(const JointJob& job, const std::optional<Assignment>& to) {
  return job.running && job.running != to ? job.restart : 0;
}

double run_seconds(const JointJob& job, const Assignment& to) {
  return lost_seconds(job, to) + job.options[to.option].seconds;
}

double restart_cost(const JointProblem& problem, const JointJob& job, const Assignment& to) {
  const double lost = lost_seconds(job, to);
  if (lost == 0) return 0;
  const JointOption& option = job.options[to.option];
  const double alone = problem.nodes[to.node].cost[gpus_for(option.slices, problem.slices)];
  return (alone + option.own_rate) * lost / kSecondsPerHour;
}

double waiting_penalty(const JointProblem& problem, const JointJob& job) {
  const double slowest = std::ranges::max(job.options, {}, &JointOption::seconds).seconds;
  const double late = problem.now + slowest + lost_seconds(job, std::nullopt) - job.deadline;
  return kWaitingPenalty * job.weight * std::max(0.0, late);
}

double first_finish(const JointProblem& problem, const Assignments& plan) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (plan[j]) first = std::min(first, run_seconds(problem.jobs[j], *plan[j]));
  return first == std::numeric_limits<double>::infinity() ? 0 : first;
}

JointCost joint_cost(const JointProblem& problem, const Assignments& plan, JointAim aim) {
  if (aim == JointAim::first_finish) return until_first_finish(problem, plan);
  return for_an_hour(problem, plan, Values(problem));
}

PlanEvaluator::PlanEvaluator(const JointProblem& problem, JointAim aim) : problem_(problem) {
  if (aim == JointAim::pace) values_.emplace(problem);
}

double PlanEvaluator::cost(const Assignments& plan) const {
  return values_ ? for_an_hour(problem_, plan, *values_).total()
                 : until_first_finish(problem_, plan).total();
}

namespace {

/// What a job comes to by one of its ways, as a line over the price of a second.
struct Line {
  double cost = 0;   ///< of machines
  double worst = 0;  ///< seconds
};

/// The price at which `slow`, which is the cheaper at lower prices, and `quick` cost the same.
double crossing(const Line& slow, const Line& quick) {
  return (quick.cost - slow.cost) / (slow.worst - quick.worst);
}

std::vector<Line> lines_of(const JointJob& job, const Rates& rates, double beside) {
  std::vector<Line> lines;
  lines.reserve(job.options.size());
  for (const JointOption& option : job.options) {
    const double cost = finishing_cost(option, rates, beside);
    if (std::isfinite(cost)) lines.push_back({cost, option.worst});
  }
  return lines;
}

struct Turn {
  double price = 0;
  const Line* to = nullptr;  ///< nothing if no quicker way pays below the price
};

/// The least price, below `most`, at which a quicker way than `from` is as cheap.
Turn next_turn(const std::vector<Line>& lines, const Line& from, double most) {
  Turn turn{.price = most};
  for (const Line& line : lines) {
    if (line.worst >= from.worst) continue;
    const double price = crossing(from, line);
    if (price < turn.price) turn = {.price = price, .to = &line};
  }
  return turn;
}

}  // namespace

Rates::Rates(const JointProblem& problem)
    : interval_(problem.interval),
      slices_of_a_gpu_(problem.slices),
      full_(problem.types, kEndless),
      nodes_(problem.types) {
  for (const JointNode& node : problem.nodes) {
    if (node.gpus == 0) continue;
    const double rate = node.cost[node.gpus] / (node.gpus * problem.slices);
    if (rate >= full_[node.type]) continue;
    full_[node.type] = rate;
    nodes_[node.type] = &node;
  }
}

double Rates::of(const JointOption& option, double beside) const {
  const double full = full_[option.type] * option.slices;
  const JointNode* node = nodes_[option.type];
  const double all = node == nullptr ? 0 : node->gpus * slices_of_a_gpu_;
  if (beside + option.slices >= all) return full;
  const auto used = static_cast<std::uint32_t>(std::ceil(std::max(0.0, beside))) + option.slices;
  const double now = node->cost[gpus_for(used, slices_of_a_gpu_)] * option.slices / used;
  return full + (now - full) * std::min(1.0, interval_ / option.seconds);
}

double finishing_cost(const JointOption& option, const Rates& rates, double beside) {
  return (rates.of(option, beside) + option.own_rate) * option.seconds / kSecondsPerHour;
}

double marginal_cost(const JointJob& job, const Rates& rates, double left, double beside) {
  const std::vector<Line> lines = lines_of(job, rates, beside);
  if (lines.empty()) return 0;
  Line lowest = std::ranges::min(lines, {}, &Line::cost);
  double price = 0;
  while (lowest.worst > left) {  // the dearer time is, the more a quicker way pays
    const Turn turn = next_turn(lines, lowest, job.weight);
    price = turn.price;
    if (turn.to == nullptr) break;
    lowest = *turn.to;
  }
  return lowest.cost + price * lowest.worst;
}

}  // namespace penstock
