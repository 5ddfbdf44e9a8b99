#include "joint/preferences.h"

#include <algorithm>
#include <numeric>

#include "joint/objective.h"

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;

/// The largest node of each type.
std::vector<const JointNode*> largest_nodes(const JointProblem& problem) {
  std::vector<const JointNode*> largest(problem.types, nullptr);
  for (const JointNode& node : problem.nodes)
    if (largest[node.type] == nullptr || node.gpus > largest[node.type]->gpus)
      largest[node.type] = &node;
  return largest;
}

double seconds_in(const JointJob& job, std::uint32_t option, double seconds) {
  const bool stays = job.running && job.running->option == option;
  return job.running && !stays ? seconds + job.restart : seconds;
}

struct Rating {
  bool late = false;
  double value = 0;    ///< cost if in time, otherwise seconds
  double seconds = 0;  ///< the second criterion
  std::uint32_t option = 0;
  friend auto operator<=>(const Rating&, const Rating&) = default;
};

double cost_on(const JointNode& node, const JointOption& option, std::uint32_t slices_of_a_gpu) {
  const std::uint32_t gpus = gpus_for(option.slices, slices_of_a_gpu);
  const double share = double(option.slices) / (gpus * slices_of_a_gpu);
  return (node.cost[gpus] * share + option.own_rate) * option.seconds / kSecondsPerHour;
}

}  // namespace

double pressure(const JointProblem& problem, const JointJob& job) {
  const double fastest = std::ranges::min(job.options, {}, &JointOption::seconds).seconds;
  return problem.now + fastest - job.deadline;
}

double option_cost(const JointProblem& problem, const JointOption& option) {
  for (const JointNode& node : problem.nodes)
    if (node.type == option.type && option.slices <= node.gpus * problem.slices)
      return cost_on(node, option, problem.slices);
  return std::numeric_limits<double>::infinity();
}

std::vector<Wishes> all_wishes(const JointProblem& problem) {
  const auto largest = largest_nodes(problem);
  std::vector<Wishes> all;
  all.reserve(problem.jobs.size());
  std::vector<Rating> ratings;
  for (const JointJob& job : problem.jobs) {
    ratings.clear();
    for (std::uint32_t o = 0; o < job.options.size(); ++o) {
      const JointOption& option = job.options[o];
      const JointNode* node = largest[option.type];
      if (node == nullptr || option.slices > node->gpus * problem.slices) continue;
      const bool late = problem.now + seconds_in(job, o, option.worst) > job.deadline;
      const double seconds = seconds_in(job, o, option.seconds);
      const double cost = cost_on(*node, option, problem.slices);
      ratings.push_back({late, late ? seconds : cost, seconds, o});
    }
    std::ranges::sort(ratings);
    Wishes& wishes = all.emplace_back();
    for (const Rating& rating : ratings) wishes.options.push_back(rating.option);
    wishes.in_time = static_cast<std::uint32_t>(std::ranges::count(ratings, false, &Rating::late));
  }
  return all;
}

std::vector<std::uint32_t> by_pressure(const JointProblem& problem) {
  std::vector<double> pressures;
  pressures.reserve(problem.jobs.size());
  for (const JointJob& job : problem.jobs) pressures.push_back(pressure(problem, job));
  std::vector<std::uint32_t> order(problem.jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t j) { return pressures[j]; });
  return order;
}

}  // namespace penstock
