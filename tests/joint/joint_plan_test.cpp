#include "joint/joint_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "joint/random_problem.h"

namespace penstock {
namespace {

/// The promises of Filling, kept by looking at every node.
class Counted {
 public:
  explicit Counted(const JointProblem& problem) : problem_(problem), used(problem.nodes.size()) {}

  std::uint32_t free(std::uint32_t node) const {
    return problem_.nodes[node].gpus * problem_.slices - used[node];
  }
  std::uint64_t free() const {
    std::uint64_t sum = 0;
    for (std::uint32_t n = 0; n < used.size(); ++n) sum += free(n);
    return sum;
  }

  /// Of each node with room: whether it is unused, and what is left over, or, if unused, its size
  /// turned round. Best first; nodes of the same rating are as good as each other.
  std::vector<std::pair<bool, std::int64_t>> ratings(std::uint32_t type,
                                                     std::uint32_t slices) const {
    std::vector<std::pair<bool, std::int64_t>> all;
    for (std::uint32_t n = 0; n < used.size(); ++n)
      if (problem_.nodes[n].type == type && free(n) >= slices) all.push_back(rating(n));
    std::ranges::sort(all);
    return all;
  }
  std::pair<bool, std::int64_t> rating(std::uint32_t node) const {
    const std::int64_t left = free(node);
    return used[node] == 0 ? std::pair(true, -left) : std::pair(false, left);
  }

 private:
  const JointProblem& problem_;

 public:
  std::vector<std::uint32_t> used;
};

void agree(const Filling& filling, const Counted& counted, const JointProblem& problem) {
  ASSERT_EQ(filling.free(), counted.free());
  for (std::uint32_t n = 0; n < problem.nodes.size(); ++n) {
    ASSERT_EQ(filling.used(n), counted.used[n]);
    ASSERT_EQ(filling.free(n), counted.free(n));
  }
  for (std::uint32_t type = 0; type < problem.types; ++type)
    for (std::uint32_t slices = 1; slices <= 9 * problem.slices; ++slices) {
      const auto all = counted.ratings(type, slices);
      ASSERT_EQ(filling.fits(type, slices, 100), all.size());
      ASSERT_EQ(filling.fits(type, slices, 2), std::min<std::size_t>(2, all.size()));
      ASSERT_EQ(filling.best_fit(type, slices).has_value(), !all.empty());
      for (std::uint32_t rank = 0; rank < all.size() + 2 && !all.empty(); ++rank) {
        const std::uint32_t node = *filling.best_fit(type, slices, rank);
        ASSERT_EQ(problem.nodes[node].type, type);
        ASSERT_EQ(counted.rating(node), all[std::min<std::size_t>(rank, all.size() - 1)]);
      }
    }
}

TEST(Filling, agrees_with_a_count_of_all_nodes_and_a_search_among_them) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed, {.nodes = 8});
    Rng rng = Rng(seed).stream("filling");
    Filling filling(problem);
    Counted counted(problem);
    for (int i = 0; i < 20; ++i) {
      const auto node = static_cast<std::uint32_t>(rng.below(problem.nodes.size()));
      const bool take = rng.uniform() < 0.6;
      const auto most = take ? filling.free(node) : filling.used(node);
      const auto slices = static_cast<std::uint32_t>(rng.below(most + 1));
      take ? filling.take(node, slices) : filling.give(node, slices);
      counted.used[node] += take ? slices : 0 - slices;
      agree(filling, counted, problem);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    filling.clear();
    agree(filling, Counted(problem), problem);
  }
}

TEST(Filling, ranks_every_node_with_room_once) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed, {.nodes = 8});
    const Filling filling(problem);
    for (std::uint32_t type = 0; type < problem.types; ++type) {
      std::vector<std::uint32_t> nodes;
      for (std::uint32_t rank = 0; rank < filling.fits(type, 1, 100); ++rank)
        nodes.push_back(*filling.best_fit(type, 1, rank));
      std::ranges::sort(nodes);
      ASSERT_EQ(std::ranges::adjacent_find(nodes), nodes.end()) << "seed " << seed;
    }
  }
}

TEST(Filling, prefers_nodes_in_use_then_least_left_over_then_the_largest_unused) {
  const auto node = [](std::uint32_t gpus) {
    return JointNode{.gpus = gpus, .cost = std::vector<double>(gpus + 1, 1)};
  };
  const JointProblem problem{.types = 1, .nodes = {node(2), node(8), node(4), node(4)}};
  Filling filling(problem);
  EXPECT_EQ(filling.best_fit(0, 1), 1u);  // the largest
  filling.take(2, 1);
  EXPECT_EQ(filling.best_fit(0, 1), 2u);  // in use
  filling.take(3, 2);
  EXPECT_EQ(filling.best_fit(0, 1), 3u);     // less left over
  EXPECT_EQ(filling.best_fit(0, 3), 2u);     // where there is room
  EXPECT_EQ(filling.best_fit(0, 1, 2), 1u);  // third best
  EXPECT_EQ(filling.best_fit(0, 1, 9), 0u);  // the last
  EXPECT_EQ(filling.best_fit(0, 9), std::nullopt);
}

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

/// Of changes of one or two jobs, what is estimated comes true where it is exact.
void estimates_come_true(const JointProblem& problem, std::uint64_t seed, int& exact) {
  Rng rng = Rng(seed).stream("estimates");
  JointPlan plan(problem, JointAim::pace);
  const double close = 1e-9 * sums_involved(problem, JointAim::pace);
  for (int i = 0; i < 100; ++i) {
    std::vector<Change> changes;
    const auto jobs = static_cast<std::uint32_t>(problem.jobs.size());
    const auto count = std::min<std::uint64_t>(1 + rng.below(2), jobs);
    for (std::uint32_t job = 0; changes.size() < count; job = (job + 1) % jobs) {
      if (rng.uniform() < 0.5 || (!changes.empty() && changes[0].job == job)) continue;
      const auto node = static_cast<std::uint32_t>(rng.below(problem.nodes.size()));
      const auto option = static_cast<std::uint32_t>(rng.below(problem.jobs[job].options.size()));
      changes.push_back({job, Assignment{node, option}});
    }
    const ChangeEstimate estimate = plan.estimate(changes);
    const double before = plan.cost();
    for (const Change& change : changes) plan.set(change.job, std::nullopt);
    bool has_room = true;
    for (const Change& change : changes) {
      has_room = has_room && plan.has_room(change.job, *change.to);
      if (has_room) plan.set(change.job, change.to);
    }
    ASSERT_EQ(estimate.has_room, has_room) << "seed " << seed;
    if (!estimate.is_exact) continue;
    ++exact;
    ASSERT_NEAR(estimate.cost, plan.cost() - before, close) << "seed " << seed;
  }
}

TEST(JointPlan, estimates_changes_without_making_them) {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    estimates_come_true(random_problem(seed), seed, exact);
  EXPECT_GT(exact, 1000);
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
