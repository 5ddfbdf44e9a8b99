#include "joint/local_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "joint/complete_plan.h"
#include "joint/optimise.h"
#include "joint/random_problem.h"

namespace penstock {
namespace {

/// A search that has begun, with all it refers to.
struct Begun {
  Begun(JointProblem it, JointAim aim)
      : problem(std::move(it)),
        settings{.method = JointMethod::greedy, .aim = aim},
        time_budget(std::nullopt),
        search(begin_search(problem, settings, time_budget)) {}

  JointProblem problem;
  JointSettings settings;
  TimeBudget time_budget;
  Search search;
};

/// Moves of every kind, told of a greedy plan.
template <class Check>
void every_move(Begun& begun, Check check) {
  JointPlan plan(begun.problem, begun.settings.aim, optimise(begun.problem, begun.settings).jobs);
  for (std::size_t kind = 0; kind < Moves::kKinds; ++kind) {
    std::vector<Changes> told;
    Moves(plan, begun.search, 10).list(kind, [&](std::span<const Change> it) {
      told.emplace_back(it.begin(), it.end());
    });
    for (const Changes& changes : told) check(plan, changes);
  }
}

TEST(Moves, taken_back_leave_the_plan_and_its_cost_as_before) {
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Begun begun(random_problem(seed), seed % 2 == 0 ? JointAim::first_finish : JointAim::pace);
    every_move(begun, [&](JointPlan& plan, const Changes& changes) {
      const Assignments before = plan.jobs();
      const double cost = plan.cost();
      Changes undo;
      const bool was_made = apply(plan, changes, begun.search, undo);
      made += was_made ? 1 : 0;
      if (was_made) undo_changes(plan, undo);
      ASSERT_EQ(plan.jobs(), before) << "seed " << seed;
      ASSERT_NEAR(plan.cost(), cost, 1e-9 * std::max(1.0, std::abs(cost))) << "seed " << seed;
    });
  }
  EXPECT_GT(made, 10'000u);
}

TEST(Moves, leave_plans_feasible_and_complete) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Begun begun(random_problem(seed), seed % 2 == 0 ? JointAim::first_finish : JointAim::pace);
    every_move(begun, [&](JointPlan& plan, const Changes& changes) {
      Changes undo;
      if (!apply(plan, changes, begun.search, undo)) return;
      ASSERT_TRUE(is_feasible(begun.problem, plan.jobs())) << "seed " << seed;
      ASSERT_TRUE(is_complete(begun.problem, plan.jobs())) << "seed " << seed;
      undo_changes(plan, undo);
    });
  }
}

TEST(Moves, are_told_of_all_jobs_on_a_node_even_if_each_is_tried_at_once) {
  constexpr std::size_t kDivide = 6;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Begun begun(random_problem(seed, {.nodes = 1}), JointAim::first_finish);
    JointPlan plan(begun.problem, begun.settings.aim, optimise(begun.problem, begun.settings).jobs);
    const Moves moves(plan, begun.search, 10);
    std::size_t listed = 0;
    moves.list(kDivide, [&](std::span<const Change>) { ++listed; });
    std::size_t tried = 0;
    moves.list(kDivide, [&](std::span<const Change> changes) {
      Changes undo;
      if (apply(plan, changes, begun.search, undo)) undo_changes(plan, undo);
      ++tried;
    });
    ASSERT_EQ(tried, listed) << "seed " << seed;
  }
}

}  // namespace

}  // namespace penstock
