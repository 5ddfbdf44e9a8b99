#include "learn/mars/contest.h"

#include <gtest/gtest.h>

#include <numeric>

#include "learn/mars/grounds.h"

namespace penstock {
namespace {

TEST(Contest, knows_the_best_strategy_in_hindsight) {
  const Grounds grounds = small_grounds();
  for (const Contest& contest : grounds.validation) {
    EXPECT_TRUE(contest.best.ends_with("+easy"));
    EXPECT_NEAR(std::accumulate(contest.shares.begin(), contest.shares.end(), 0.0), 1, 1e-12);
    for (const Strategy& strategy : rivals(grounds.rules)) {
      const double reached = mean_return(strategy, {&contest, 1}, grounds.rules);
      EXPECT_LE(reached, -1 + 1e-12) << strategy.name;
      if (strategy.name == contest.best) {
        EXPECT_DOUBLE_EQ(reached, -1);
      }
    }
  }
}

TEST(Contest, is_the_same_on_any_number_of_threads) {
  const auto draw = [] {
    return *draw_episodes(busy_tasks(500), {.tasks = 30, .count = 7}, 32, Rng(1));
  };
  const PlayRules rules{.gpus = 32};
  const auto one = make_contests(draw(), rules, 1);
  const auto three = make_contests(draw(), rules, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].best, three[i].best);
    EXPECT_EQ(one[i].reference, three[i].reference);
    EXPECT_EQ(one[i].shares, three[i].shares);
  }
}

}  // namespace
}  // namespace penstock
