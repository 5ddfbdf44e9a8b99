#include "learn/geo/job_costs.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

JobOutcome outcome(SiteId site, Duration arrived, Duration started, Duration finished) {
  return {.ended = true,
          .site = site,
          .arrived = Time{} + arrived,
          .started = Time{} + started,
          .finished = Time{} + finished,
          .gpus = 1};
}

TEST(Hindsight, weighs_what_a_job_cost) {
  JobOutcome one = outcome(SiteId{0}, 0h, 0h, 1h);
  one.money = 3;
  one.carbon = 500;
  one.transfer = 10;
  one.late = true;
  // A mean job uses 10 kWh, pays 2 and emits 1000 g.
  const JobScale scale{.kwh = 10, .price = 0.2, .carbon = 100};
  const auto rewards = rewards_of({one}, {}, scale, RewardScope::team);
  EXPECT_DOUBLE_EQ(rewards[0], -(0.5 * 3 / 2 + 0.5 * 0.5 + 0.1 * 10 / 2 + 1));
}

TEST(Hindsight, blames_those_who_held_gpus_while_a_late_job_waited) {
  std::vector<JobOutcome> outcomes{outcome(SiteId{0}, 0h, 0h, 2h), outcome(SiteId{0}, 0h, 0h, 4h),
                                   outcome(SiteId{1}, 0h, 0h, 9h), outcome(SiteId{0}, 1h, 4h, 5h)};
  outcomes[1].gpus = 2;
  outcomes[3].late = true;
  const JobScale scale{.kwh = 1, .price = 1, .carbon = 1};
  const auto alone = rewards_of(outcomes, {}, scale, RewardScope::own);
  EXPECT_EQ(alone, (std::vector<double>{0, 0, 0, -1}));
  const auto team = rewards_of(outcomes, {}, scale, RewardScope::team);
  EXPECT_DOUBLE_EQ(team[0], -1.0 / 7);  // 1 GPU-hour of 1 + 2 x 3
  EXPECT_DOUBLE_EQ(team[1], -6.0 / 7);
  EXPECT_DOUBLE_EQ(team[2], 0);
  EXPECT_DOUBLE_EQ(team[3], -1);
}

}  // namespace

}  // namespace penstock
