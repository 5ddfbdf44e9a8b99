#include "learn/mars/selector.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "learn/mars/small_data.h"

namespace penstock {
namespace {

/// The middle of a busy run, with its tasks.
struct Busy {
  explicit Busy(std::uint64_t seed) {
    auto made = TaskSequence::make(busy_tasks(300, seed), 32);
    PENSTOCK_CHECK(made);
    tasks = *std::move(made);
    world.reset(tasks, {.now = tasks[100].submitted});
  }
  TaskSequence tasks{};
  QueueWorld world{32, {.backfill = Backfill::easy}};
};

std::vector<const Strategy*> everybody() {
  std::vector<const Strategy*> all;
  for (const Strategy& strategy : all_strategies()) all.push_back(&strategy);
  return all;
}

TEST(Race, comes_to_what_playing_to_the_end_does) {
  const auto strategies = everybody();
  QueueWorld scratch(0, {});
  for (const Reward reward : {Reward::cost, Reward::slowdown, Reward::wait}) {
    const Busy busy(3);
    Race race(reward);
    const auto scores = race.run({&busy.world, 1}, strategies, 0);
    ASSERT_EQ(scores.size(), strategies.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (!scores[i].finished) continue;
      const double whole = objective_of(run_to_end(scratch = busy.world, *strategies[i]), reward);
      EXPECT_NEAR(scores[i].cost, whole, 1e-9 * whole) << strategies[i]->name;
    }
  }
}

TEST(Race, never_drops_the_best_in_a_single_world) {
  const auto strategies = everybody();
  QueueWorld scratch(0, {});
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Busy busy(seed);
    Race race(Reward::slowdown);
    const auto scores = race.run({&busy.world, 1}, strategies, 5);
    std::vector<double> whole;
    whole.reserve(strategies.size());
    for (const Strategy* strategy : strategies)
      whole.push_back(run_to_end(scratch = busy.world, *strategy).slowdown_sum);
    const auto best = static_cast<std::size_t>(std::ranges::min_element(whole) - whole.begin());
    EXPECT_TRUE(scores[best].finished) << strategies[best]->name;
  }
}

TEST(Race, lets_the_incumbent_finish_however_bad_it_is) {
  const auto strategies = everybody();
  const Busy busy(2);
  const std::vector<QueueWorld> worlds(4, busy.world);
  for (const std::size_t incumbent : {std::size_t{0}, strategies.size() - 1}) {
    Race race(Reward::slowdown);
    EXPECT_TRUE(race.run(worlds, strategies, incumbent)[incumbent].finished);
  }
}

TEST(Race, drops_most_before_the_last_world) {
  const auto strategies = everybody();
  const Busy busy(2);
  const std::vector<QueueWorld> worlds(4, busy.world);
  Race race(Reward::slowdown);
  const auto scores = race.run(worlds, strategies, 0);
  const auto finished = std::ranges::count(scores, true, &Score::finished);
  EXPECT_GE(finished, 1);
  EXPECT_LE(finished, 5);  // 35, 18, 9, 5
}

}  // namespace

}  // namespace penstock
