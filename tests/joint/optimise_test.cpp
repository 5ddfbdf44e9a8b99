#include "joint/optimise.h"

#include <gtest/gtest.h>

#include <array>

#include "joint/complete_plan.h"
#include "joint/random_problem.h"

namespace penstock {
namespace {

using enum JointMethod;

constexpr JointAim kAims[] = {JointAim::first_finish, JointAim::pace};
constexpr JointMethod kMethods[] = {greedy, random_greedy, local_search, relinking,
                                    fifo,   edf,           priority,     atc};

double cost_of(const JointProblem& problem, const JointSettings& settings) {
  return optimise(problem, settings).cost.total();
}

TEST(Optimise, makes_feasible_and_complete_plans_by_every_method) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    const JointAim aim = kAims[seed % 2];
    for (const JointMethod method : kMethods) {
      const JointResult result =
          optimise(problem, {.method = method, .aim = aim, .iterations = 20});
      ASSERT_TRUE(is_feasible(problem, result.jobs)) << "seed " << seed << ", " << int(method);
      ASSERT_TRUE(is_complete(problem, result.jobs)) << "seed " << seed << ", " << int(method);
      ASSERT_EQ(joint_cost(problem, result.jobs, aim).total(), result.cost.total());
      ASSERT_EQ(first_finish(problem, result.jobs), result.first_finish);
      ASSERT_FALSE(result.cut_short);
    }
  }
}

TEST(Optimise, leaves_running_jobs_alone_by_first_principle_methods) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    for (const JointMethod method : {fifo, edf, priority}) {
      const Assignments plan = optimise(problem, {.method = method}).jobs;
      for (std::size_t j = 0; j < plan.size(); ++j)
        if (problem.jobs[j].running) {
          ASSERT_EQ(plan[j], problem.jobs[j].running) << "seed " << seed;
        }
    }
  }
}

/// Jobs by node.
std::vector<std::uint32_t> jobs_on(const JointProblem& problem, const Assignments& plan) {
  std::vector<std::uint32_t> jobs(problem.nodes.size(), 0);
  for (const auto& at : plan)
    if (at) ++jobs[at->node];
  return jobs;
}

bool fits_on_an_unused_node(const JointProblem& problem, const JointJob& job,
                            const std::vector<std::uint32_t>& jobs) {
  for (std::size_t n = 0; n < jobs.size(); ++n)
    for (const JointOption& option : job.options)
      if (jobs[n] == 0 && option.type == problem.nodes[n].type &&
          option.slices <= problem.nodes[n].gpus * problem.slices)
        return true;
  return false;
}

TEST(Optimise, gives_each_job_a_node_for_itself_where_asked) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    JointProblem problem = random_problem(seed);
    problem.unique = true;
    for (JointJob& job : problem.jobs) job.running.reset();
    for (const JointMethod method : kMethods) {
      const JointSettings settings{.method = method, .aim = kAims[seed % 2], .iterations = 20};
      const Assignments plan = optimise(problem, settings).jobs;
      ASSERT_TRUE(is_feasible(problem, plan)) << "seed " << seed << ", " << int(method);
      const auto jobs = jobs_on(problem, plan);
      ASSERT_TRUE(std::ranges::none_of(jobs, [](std::uint32_t n) { return n > 1; })) << seed;
      for (std::size_t j = 0; j < plan.size(); ++j)
        ASSERT_TRUE(plan[j] || !fits_on_an_unused_node(problem, problem.jobs[j], jobs))
            << "seed " << seed << ", " << int(method);
    }
  }
}

TEST(Optimise, is_never_worse_by_more_effort) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    for (const JointAim aim : kAims) {
      JointSettings settings{.method = greedy, .aim = aim, .seed = seed, .iterations = 10};
      const double plain = cost_of(problem, settings);
      settings.method = random_greedy;
      const double random = cost_of(problem, settings);
      settings.method = local_search;
      const double local = cost_of(problem, settings);
      settings.method = relinking;
      const double relinked = cost_of(problem, settings);
      ASSERT_LE(random, plain) << "seed " << seed;
      ASSERT_LE(local, random) << "seed " << seed;
      ASSERT_LE(relinked, local) << "seed " << seed;
    }
  }
}

TEST(Optimise, is_never_worse_by_more_random_plans) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    for (const JointAim aim : kAims) {
      double last = cost_of(problem, {.method = greedy, .aim = aim});
      for (const std::uint32_t iterations : {1u, 2u, 10u, 50u}) {
        const double cost = cost_of(
            problem, {.method = random_greedy, .aim = aim, .seed = seed, .iterations = iterations});
        ASSERT_LE(cost, last) << "seed " << seed;
        last = cost;
      }
    }
  }
}

TEST(Optimise, gives_the_same_plan_whatever_the_number_of_threads) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    JointSettings settings{.method = std::array{random_greedy, local_search, relinking}[seed % 3],
                           .aim = kAims[seed % 2],
                           .seed = seed,
                           .iterations = 10};
    const JointResult one = optimise(problem, settings);
    for (const unsigned threads : {2u, 5u}) {
      settings.threads = threads;
      const JointResult other = optimise(problem, settings);
      ASSERT_EQ(other.jobs, one.jobs) << "seed " << seed;
      ASSERT_EQ(other.evaluated, one.evaluated) << "seed " << seed;
    }
  }
}

TEST(Optimise, cut_short_still_has_a_feasible_and_complete_plan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const JointProblem problem = random_problem(seed, {.nodes = 30, .jobs = 100});
    for (const JointMethod method : {random_greedy, local_search, relinking}) {
      const JointResult result = optimise(problem, {.method = method,
                                                    .iterations = 100'000'000,
                                                    .time_limit = std::chrono::milliseconds(1)});
      ASSERT_TRUE(result.cut_short);
      ASSERT_TRUE(is_feasible(problem, result.jobs)) << "seed " << seed;
      ASSERT_TRUE(is_complete(problem, result.jobs)) << "seed " << seed;
    }
  }
}

TEST(Optimise, of_nothing_is_nothing) {
  const JointProblem no_jobs{.types = 1, .nodes = {{.gpus = 1, .cost = {0.5, 1}}}};
  JointProblem no_nodes{.types = 1, .jobs = {{.options = {{.seconds = 1}}}}};
  for (const JointMethod method : kMethods)
    for (const JointAim aim : kAims) {
      EXPECT_TRUE(optimise(no_jobs, {.method = method, .aim = aim}).jobs.empty());
      EXPECT_EQ(optimise(no_nodes, {.method = method, .aim = aim}).jobs, Assignments(1));
    }
}

// The published sample requests: M60 nodes of 4 GPUs at 0.62 an hour for each GPU in use.

JointNode m60() {
  return {.gpus = 4, .cost = {0, 0.62, 1.24, 1.86, 2.48}};
}

JointJob training(double seconds_per_epoch, std::uint32_t gpus = 1) {
  const double seconds = seconds_per_epoch * 1000;
  return {.deadline = 1e9,
          .weight = 3e-4,
          .options = {{.slices = gpus, .seconds = seconds, .worst = seconds}}};
}

TEST(Optimise, costs_the_published_figures_by_every_method) {
  JointProblem problem{.types = 1,
                       .jobs = {training(217.7386529), training(73.83799561), training(73.83799561),
                                training(75.48717436)},
                       .nodes = {m60()}};
  for (const JointMethod method : kMethods) {
    const JointResult result = optimise(problem, {.method = method});
    EXPECT_NEAR(result.cost.total(), 50.866, 1e-3);
    EXPECT_NEAR(result.first_finish, 73'837.99561, 1e-6);
  }
  problem.nodes.push_back(m60());
  for (int i = 0; i < 4; ++i) problem.jobs.push_back(training(217.7386529));
  for (const JointMethod method : kMethods)
    EXPECT_NEAR(cost_of(problem, {.method = method}), 101.732, 1e-3);
  problem.jobs.erase(problem.jobs.begin() + 1, problem.jobs.begin() + 3);  // the shortest
  problem.jobs.push_back(training(217.7386529));
  for (const JointMethod method : kMethods) {
    const JointResult result = optimise(problem, {.method = method});
    EXPECT_NEAR(result.cost.total(), 91.004, 1e-3);
    EXPECT_NEAR(result.first_finish, 75'487.17436, 1e-6);
  }
}

}  // namespace
}  // namespace penstock
