#pragma once

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "joint/problem.h"

namespace penstock {

/// A way to run a job: that many seconds on so many GPUs.
inline JointOption on(std::uint32_t gpus, double seconds) {
  return {.slices = gpus, .seconds = seconds, .worst = seconds};
}

/// How large random problems get, each figure from 1 on.
struct ProblemSizes {
  std::uint32_t nodes = 4;
  std::uint32_t gpus = 8;  ///< of a node
  std::uint32_t jobs = 12;
  std::uint32_t options = 6;
};

/// Throws problems of all kinds: rates that rise evenly, less and less, or by steps as those of
/// rented machines do; deadlines that are tight, loose, past or absent; jobs that are running,
/// with and without a restart; parts of GPUs; jobs that fit nowhere.
class ProblemDice {
 public:
  explicit ProblemDice(std::uint64_t seed, ProblemSizes sizes = {})
      : rng_(Rng(seed).stream("joint problem")), sizes_(sizes) {}

  JointProblem roll() {
    problem_ = {.now = real(0, 1e5), .slices = 1u << rng_.below(3), .types = between(1, 3)};
    for (std::uint32_t n = between(1, sizes_.nodes); n > 0; --n) roll_node();
    for (std::uint32_t j = between(1, sizes_.jobs); j > 0; --j) roll_job();
    if (chance(0.6)) let_run();
    return problem_;
  }

 private:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }
  double real(double least, double most) { return least + (most - least) * rng_.uniform(); }
  bool chance(double share) { return rng_.uniform() < share; }

  void roll_node() {
    if (!problem_.nodes.empty() && chance(0.4)) {
      problem_.nodes.push_back(problem_.nodes.back());
      return;
    }
    JointNode node{.type = between(0, problem_.types - 1), .gpus = between(1, sizes_.gpus)};
    const double each = real(0.05, 1);
    const double awake = chance(0.5) ? real(0, 1) : 0;
    const std::uint32_t kind = between(0, 2);
    node.cost.push_back(chance(0.2) ? real(0, 0.05) : 0);
    for (std::uint32_t used = 1; used <= node.gpus; ++used) {
      double size = used;
      if (kind == 1) size = std::pow(used, 0.7);
      if (kind == 2) size = std::pow(2, std::ceil(std::log2(used)));
      node.cost.push_back(node.cost.front() + awake + each * size);
    }
    problem_.nodes.push_back(node);
  }

  std::uint32_t roll_slices() {
    if (problem_.slices > 1 && chance(0.4)) return 1u << rng_.below(problem_.slices == 2 ? 1 : 2);
    return problem_.slices * between(1, std::max(2u, sizes_.gpus / 2));
  }

  void roll_job() {
    JointJob job{.submitted = problem_.now - real(0, 1e4),
                 .weight = chance(0.1) ? 0 : real(2.5e-4, 4.5e-4)};
    const double work = std::pow(10, real(3, 5));
    const double scales = real(0.3, 1);
    for (std::uint32_t o = between(1, sizes_.options); o > 0; --o) {
      JointOption option{.type = between(0, problem_.types - 1), .slices = roll_slices()};
      const auto same = [&](const JointOption& other) {
        return other.type == option.type && other.slices == option.slices;
      };
      if (std::ranges::any_of(job.options, same)) continue;
      const double gpus = double(option.slices) / problem_.slices;
      option.seconds = work * (1 + 0.5 * option.type) * real(0.9, 1.1) / std::pow(gpus, scales);
      option.worst = option.seconds * (chance(0.2) ? real(1, 1.5) : 1);
      option.own_rate = chance(0.2) ? real(0, 0.5) : 0;
      job.options.push_back(option);
    }
    roll_deadline(job);
    problem_.jobs.push_back(job);
  }

  void roll_deadline(JointJob& job) {
    const double fastest = std::ranges::min(job.options, {}, &JointOption::seconds).seconds;
    const std::uint32_t kind = between(0, 3);
    if (kind == 0) job.deadline = problem_.now + fastest * real(-0.5, 1.1);
    if (kind == 1) job.deadline = problem_.now + fastest * real(1, 3);
    if (kind == 2) job.deadline = problem_.now + fastest * real(3, 30);
  }

  void let_run() {
    std::vector<std::uint32_t> used(problem_.nodes.size(), 0);
    const bool restarts = chance(0.7);
    for (JointJob& job : problem_.jobs) {
      const std::uint32_t n = between(0, static_cast<std::uint32_t>(used.size()) - 1);
      const std::uint32_t o = between(0, static_cast<std::uint32_t>(job.options.size()) - 1);
      const JointOption& option = job.options[o];
      const JointNode& node = problem_.nodes[n];
      if (option.type != node.type || used[n] + option.slices > node.gpus * problem_.slices)
        continue;
      used[n] += option.slices;
      job.running = Assignment{.node = n, .option = o};
      job.restart = restarts ? real(0, 600) : 0;
    }
  }

  Rng rng_;
  ProblemSizes sizes_;
  JointProblem problem_;
};

inline JointProblem random_problem(std::uint64_t seed, ProblemSizes sizes = {}) {
  return ProblemDice(seed, sizes).roll();
}

/// Whether types match, slices of a node suffice, and jobs have parts of one GPU or whole ones.
inline bool is_feasible(const JointProblem& problem, const Assignments& plan) {
  if (plan.size() != problem.jobs.size()) return false;
  std::vector<std::uint32_t> left;
  for (const JointNode& node : problem.nodes) left.push_back(node.gpus * problem.slices);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) continue;
    const auto& options = problem.jobs[j].options;
    if (plan[j]->node >= left.size() || plan[j]->option >= options.size()) return false;
    const JointOption& option = options[plan[j]->option];
    const bool whole = option.slices % problem.slices == 0;
    if (option.slices > problem.slices && !whole) return false;
    if (option.type != problem.nodes[plan[j]->node].type) return false;
    if (option.slices > left[plan[j]->node]) return false;
    left[plan[j]->node] -= option.slices;
  }
  return true;
}

}  // namespace penstock
