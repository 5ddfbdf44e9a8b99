#include "policies/elastic/powerflow.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// A unit of work takes 1 s and 100 J at the low clock, 0.9 s and 200 J at the high one.
const Curve kTwoClocks(
    {Way{.gpus = 1, .clock_mhz = 500, .speed = Speed(1e-3), .draw = Watts(100)},
     Way{.gpus = 1, .clock_mhz = 1000, .speed = Speed(1e-3 / 0.9), .draw = Watts(200 / 0.9)}});

std::vector<CurveDemand> a_thousand() {
  return {{.curve = &kTwoClocks, .work = Work(1000), .longest = Work(1000)}};
}

TEST(RunNeed, is_what_jobs_take_at_a_price_and_machines_while_they_run) {
  const RunOutlook outlook{.gpus = 1, .floor = Watts(50)};
  const RunNeed fast = need_at(0, a_thousand(), outlook);
  EXPECT_NEAR(fast.jobs.value(), 200e3, 1);
  EXPECT_NEAR(fast.machines.value(), 50 * 900, 1);
  const RunNeed thrifty = need_at(0.002, a_thousand(), outlook);  // 0.1 s for 100 J do not pay
  EXPECT_NEAR(thrifty.jobs.value(), 100e3, 1);
  EXPECT_NEAR(thrifty.machines.value(), 50 * 1000, 1);
}

TEST(RunNeed, lasts_until_the_horizon_or_until_all_work_is_done) {
  EXPECT_NEAR(need_at(0, a_thousand(), {.floor = Watts(1), .ahead = std::chrono::hours(1)})
                  .machines.value(),
              3600, 1);
  std::vector<CurveDemand> ten = a_thousand();
  ten[0].work = Work(10'000);  // ten jobs on two GPUs
  EXPECT_NEAR(need_at(0, ten, {.gpus = 2, .floor = Watts(1)}).machines.value(), 4500, 1);
}

TEST(RunNeed, is_looked_for_at_the_least_price_that_keeps_a_budget) {
  const RunOutlook outlook{.gpus = 1, .floor = Watts(50)};
  EXPECT_EQ(cheapest_need(a_thousand(), outlook, Joules(250e3)).price, 0);
  const RunNeed thrifty = cheapest_need(a_thousand(), outlook, Joules(200e3));
  EXPECT_NEAR(thrifty.price, 0.001, 0.0003);
  EXPECT_NEAR(thrifty.total().value(), 150e3, 1);
}

TEST(RunNeed, is_the_least_there_is_where_no_price_keeps_the_budget) {
  EXPECT_NEAR(
      cheapest_need(a_thousand(), {.gpus = 1, .floor = Watts(50)}, Joules(1)).total().value(),
      150e3, 1);
  // Machines that draw so much are soonest off if the jobs hurry.
  const RunOutlook hungry{.gpus = 1, .floor = Watts(2000)};
  EXPECT_EQ(cheapest_need(a_thousand(), hungry, Joules(1)).price, 0);
}

}  // namespace
}  // namespace penstock
