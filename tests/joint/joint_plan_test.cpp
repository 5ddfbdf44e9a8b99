#include "joint/joint_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "joint/random_problem.h"

namespace penstock {
namespace {

/// All that is added and taken away on the way to a cost, without signs.
double sums_involved(const JointProblem& problem, JointAim aim) {
  double sum = std::abs(joint_cost(problem, Assignments(problem.jobs.size()), aim).total());
  for (const JointNode& node : problem.nodes) sum += node.cost.back();
  for (std::uint32_t j = 0; j < problem.jobs.size(); ++j)
    for (std::uint32_t o = 0; o < problem.jobs[j].options.size(); ++o) {
      Assignments alone(problem.jobs.size());
      for (std::uint32_t n = 0; n < problem.nodes.size(); ++n) {
        if (problem.nodes[n].type != problem.jobs[j].options[o].type) continue;
        if (problem.nodes[n].gpus * problem.slices < problem.jobs[j].options[o].slices) continue;
        alone[j] = Assignment{.node = n, .option = o};
        const JointCost cost = joint_cost(problem, alone, aim);
        sum += std::abs(cost.energy) + std::abs(cost.tardiness) + std::abs(cost.waiting);
        break;
      }
    }
  return sum;
}

/// Anything that there is room for, or nothing.
std::optional<Assignment> any_place(const JointPlan& plan, std::uint32_t job, Rng& rng) {
  if (rng.uniform() < 0.25) return std::nullopt;
  const JointProblem& problem = plan.problem();
  const Assignment to{
      .node = static_cast<std::uint32_t>(rng.below(problem.nodes.size())),
      .option = static_cast<std::uint32_t>(rng.below(problem.jobs[job].options.size()))};
  if (!plan.has_room(job, to)) return std::nullopt;
  return to;
}

void costs_as_added_up(const JointProblem& problem, JointAim aim, std::uint64_t seed) {
  Rng rng = Rng(seed).stream("changes");
  JointPlan plan(problem, aim);
  Assignments copy(problem.jobs.size());
  const double close = 1e-9 * sums_involved(problem, aim);
  for (int i = 0; i < 200; ++i) {
    const auto job = static_cast<std::uint32_t>(rng.below(problem.jobs.size()));
    copy[job] = any_place(plan, job, rng);
    plan.set(job, copy[job]);
    ASSERT_EQ(plan.jobs(), copy) << "seed " << seed;
    ASSERT_TRUE(is_feasible(problem, plan.jobs())) << "seed " << seed;
    ASSERT_NEAR(plan.cost(), joint_cost(problem, copy, aim).total(), close) << "seed " << seed;
  }
}

TEST(JointPlan, costs_after_every_change_what_it_costs_when_added_up) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    costs_as_added_up(problem, JointAim::first_finish, seed);
    costs_as_added_up(problem, JointAim::pace, seed);
  }
}

TEST(JointPlan, knows_who_is_on_each_node_and_how_full_it_is) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    Rng rng = Rng(seed).stream("changes");
    JointPlan plan(problem, JointAim::first_finish);
    for (int i = 0; i < 50; ++i) {
      const auto job = static_cast<std::uint32_t>(rng.below(problem.jobs.size()));
      plan.set(job, any_place(plan, job, rng));
    }
    for (std::uint32_t n = 0; n < problem.nodes.size(); ++n) {
      std::uint32_t used = 0;
      std::vector<std::uint32_t> there;
      for (std::uint32_t j = 0; j < problem.jobs.size(); ++j) {
        if (!plan.of(j) || plan.of(j)->node != n) continue;
        there.push_back(j);
        used += problem.jobs[j].options[plan.of(j)->option].slices;
      }
      auto listed = plan.on(n);
      std::ranges::sort(listed);
      ASSERT_EQ(listed, there) << "seed " << seed;
      ASSERT_EQ(plan.filling().used(n), used) << "seed " << seed;
    }
  }
}

TEST(JointPlan, made_of_a_plan_is_that_plan) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    Assignments running;
    for (const JointJob& job : problem.jobs) running.push_back(job.running);
    for (const JointAim aim : {JointAim::first_finish, JointAim::pace}) {
      const JointPlan plan(problem, aim, running);
      ASSERT_EQ(plan.jobs(), running) << "seed " << seed;
      ASSERT_NEAR(plan.cost(), joint_cost(problem, running, aim).total(),
                  1e-9 * sums_involved(problem, aim))
          << "seed " << seed;
    }
  }
}

TEST(JointPlan, has_room_for_a_job_where_it_is_counting_what_it_holds) {
  const JointProblem problem{
      .types = 2,
      .jobs = {{.options = {{.slices = 3, .seconds = 1}, {.slices = 4, .seconds = 1}}}},
      .nodes = {{.gpus = 4, .cost = {0, 1, 2, 3, 4}},
                {.type = 1, .gpus = 4, .cost = {0, 1, 2, 3, 4}}}};
  JointPlan plan(problem, JointAim::first_finish);
  plan.set(0, Assignment{.node = 0, .option = 0});
  EXPECT_TRUE(plan.has_room(0, {.node = 0, .option = 1}));
  EXPECT_FALSE(plan.has_room(0, {.node = 1, .option = 1}));  // of another type
}

}  // namespace
}  // namespace penstock
