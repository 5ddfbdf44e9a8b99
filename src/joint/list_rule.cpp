#include "joint/list_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "joint/joint_plan.h"
#include "joint/objective.h"

namespace penstock {
namespace {

/// Seconds until a job ends in a way, its restart included unless it keeps its type and size.
double seconds_to_end(const JointJob& job, std::uint32_t option) {
  const double seconds = job.options[option].seconds;
  return job.running && job.running->option != option ? seconds + job.restart : seconds;
}

/// How far from one GPU a way is: wider ones are better than parts.
std::pair<bool, std::uint32_t> width(const JointOption& option, std::uint32_t gpu) {
  const bool part = option.slices < gpu;
  return {part, part ? gpu - option.slices : option.slices};
}

/// The narrow way of a job on each type, the one that ends first before others.
std::vector<std::uint32_t> narrow_ways(const JointProblem& problem, const JointJob& job) {
  std::vector<std::optional<std::uint32_t>> by_type(problem.types);
  for (std::uint32_t o = 0; o < job.options.size(); ++o) {
    auto& best = by_type[job.options[o].type];
    if (!best || width(job.options[o], problem.slices) < width(job.options[*best], problem.slices))
      best = o;
  }
  std::vector<std::uint32_t> ways;
  for (const auto& way : by_type)
    if (way) ways.push_back(*way);
  std::ranges::stable_sort(ways, {}, [&](std::uint32_t o) { return seconds_to_end(job, o); });
  return ways;
}

using Ways = std::vector<std::vector<std::uint32_t>>;

Ways all_narrow_ways(const JointProblem& problem) {
  Ways all;
  all.reserve(problem.jobs.size());
  for (const JointJob& job : problem.jobs) all.push_back(narrow_ways(problem, job));
  return all;
}

std::vector<std::uint32_t> order_of(const JointProblem& problem, const Ways& ways) {
  const std::size_t count = problem.jobs.size();
  std::vector<double> seconds(count, 0);
  for (std::size_t j = 0; j < count; ++j) {
    const auto& options = problem.jobs[j].options;
    for (const std::uint32_t o : ways[j])
      seconds[j] = seconds[j] == 0 ? options[o].seconds : std::min(seconds[j], options[o].seconds);
  }
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(count);
  std::vector<double> index(count);  // its logarithm, which never is too small
  for (std::size_t j = 0; j < count; ++j) {
    const double slack = problem.jobs[j].deadline - problem.now - seconds[j];
    index[j] =
        std::log(problem.jobs[j].weight / seconds[j]) - std::max(0.0, slack) / (kLookAhead * mean);
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(
      order, {}, [&](std::uint32_t j) { return std::pair(-index[j], problem.jobs[j].submitted); });
  return order;
}

class ListPlanner {
 public:
  explicit ListPlanner(const JointProblem& problem)
      : problem_(problem),
        ways_(all_narrow_ways(problem)),
        filling_(problem),
        left_(problem.types, 0),
        plan_(problem.jobs.size()) {
    for (const JointNode& node : problem.nodes)
      left_[node.type] += problem.unique ? 1 : node.gpus * problem.slices;
  }

  Assignments all() {
    const std::vector<std::uint32_t> order = order_of(problem_, ways_);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;  // job and way
    for (const std::uint32_t job : order)
      if (const auto way = choose(job)) wanted.emplace_back(job, *way);
    for (const auto& [job, way] : wanted) stay(job, way);
    for (const auto& [job, way] : wanted)
      if (!plan_[job]) start(job, way);
    for (const std::uint32_t job : order)
      if (!plan_[job]) start_anywhere(job);
    return std::move(plan_);
  }

 private:
  /// The way that ends first where the types have GPUs left, wherever these are.
  std::optional<std::uint32_t> choose(std::uint32_t job) {
    for (const std::uint32_t way : ways_[job]) {
      const JointOption& option = problem_.jobs[job].options[way];
      const std::uint32_t needed = problem_.unique ? 1 : option.slices;
      if (left_[option.type] < needed) continue;
      left_[option.type] -= needed;
      return way;
    }
    return std::nullopt;
  }

  void stay(std::uint32_t job, std::uint32_t way) {
    const auto& running = problem_.jobs[job].running;
    if (running && running->option == way &&
        filling_.free(running->node) >= problem_.jobs[job].options[way].slices)
      assign(job, running->node, way);
  }

  bool start(std::uint32_t job, std::uint32_t way) {
    const JointOption& option = problem_.jobs[job].options[way];
    const auto node = filling_.best_fit(option.type, option.slices);
    if (node) assign(job, *node, way);
    return node.has_value();
  }

  void start_anywhere(std::uint32_t job) {
    for (const std::uint32_t way : ways_[job])
      if (start(job, way)) return;
    for (std::uint32_t way = 0; way < problem_.jobs[job].options.size(); ++way)
      if (start(job, way)) return;
  }

  void assign(std::uint32_t job, std::uint32_t node, std::uint32_t way) {
    filling_.take(node, problem_.jobs[job].options[way].slices);
    plan_[job] = Assignment{node, way};
  }

  const JointProblem& problem_;
  Ways ways_;  ///< by job
  Filling filling_;
  std::vector<std::uint32_t> left_;  ///< by type: slices, or nodes if jobs have one each
  Assignments plan_;
};

}  // namespace

std::vector<std::uint32_t> by_apparent_tardiness(const JointProblem& problem) {
  return order_of(problem, all_narrow_ways(problem));
}

Assignments list_plan(const JointProblem& problem) {
  return ListPlanner(problem).all();
}

}  // namespace penstock
