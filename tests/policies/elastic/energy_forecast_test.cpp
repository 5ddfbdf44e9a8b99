#include "policies/elastic/energy_forecast.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// A unit of work takes 1 s and 100 J at the low clock, 0.9 s and 200 J at the high one.
const Curve kTwoClocks(
    {Way{.gpus = 1, .clock_mhz = 500, .speed = Speed(1e-3), .draw = Watts(100)},
     Way{.gpus = 1, .clock_mhz = 1000, .speed = Speed(1e-3 / 0.9), .draw = Watts(200 / 0.9)}});

/// A thousand units for one job, on machines that draw `floor` watts.
std::vector<PoolOutlook> a_thousand(double floor) {
  return {{.here = {{.curve = &kTwoClocks, .work = Work(1000), .longest = Work(1000)}},
           .floor = Watts(floor)}};
}

TEST(RunNeed, is_what_jobs_take_at_a_price_and_machines_while_they_run) {
  const RunNeed fast = need_at(0, a_thousand(50), {});
  EXPECT_NEAR(fast.jobs.value(), 200e3, 1);
  EXPECT_NEAR(fast.machines.value(), 50 * 900, 1);
  const RunNeed thrifty = need_at(0.002, a_thousand(50), {});  // 0.1 s for 100 J do not pay
  EXPECT_NEAR(thrifty.jobs.value(), 100e3, 1);
  EXPECT_NEAR(thrifty.machines.value(), 50 * 1000, 1);
}

TEST(RunNeed, lasts_until_the_horizon_or_until_all_work_is_done) {
  EXPECT_NEAR(need_at(0, a_thousand(1), {.least = std::chrono::hours(1)}).machines.value(), 3600,
              1);
  std::vector<PoolOutlook> ten = a_thousand(1);
  ten[0].here[0].work = Work(10'000);  // ten jobs on two GPUs
  ten[0].gpus = 2;
  EXPECT_NEAR(need_at(0, ten, {}).machines.value(), 4500, 1);
}

TEST(RunNeed, counts_jobs_to_come_pinned_and_rigid_ones_and_cooling) {
  std::vector<PoolOutlook> pools = a_thousand(50);
  pools[0].arrived = pools[0].here;
  pools[0].gpus = 2;
  pools[0].pinned = Joules(1000);
  pools[0].rigid_arrived = Joules(600);
  pools[0].pue = 1.5;
  const RunNeed need = need_at(0, pools, {.to_come = 0.5});
  EXPECT_NEAR(need.jobs.value(), 1.5 * (1.5 * 200e3 + 1000 + 300), 1);
  EXPECT_NEAR(need.machines.value(), 1.5 * 50 * 900, 1);
}

TEST(RunNeed, counts_work_by_what_it_has_needed_so_far) {
  EXPECT_NEAR(need_at(0, a_thousand(50), {.excess = 1.2}).jobs.value(), 1.2 * 200e3, 1);
}

TEST(RunNeed, values_energy_as_metered_cooling_included) {
  std::vector<PoolOutlook> pools = a_thousand(0);
  pools[0].pue = 1.5;  // 0.1 s for 150 J
  EXPECT_NEAR(need_at(0.0006, pools, {}).jobs.value(), 1.5 * 200e3, 1);
  EXPECT_NEAR(need_at(0.0007, pools, {}).jobs.value(), 1.5 * 100e3, 1);
}

TEST(RunNeed, of_several_pools_lasts_as_long_as_the_slowest) {
  std::vector<PoolOutlook> pools = a_thousand(50);
  pools.push_back({.floor = Watts(10)});
  EXPECT_NEAR(need_at(0, pools, {}).machines.value(), 60 * 900, 1);
}

TEST(RunNeed, is_looked_for_at_the_least_price_that_keeps_a_budget) {
  EXPECT_EQ(cheapest_need(a_thousand(50), {}, Joules(250e3)).price, 0);
  const RunNeed thrifty = cheapest_need(a_thousand(50), {}, Joules(200e3));
  EXPECT_NEAR(thrifty.price, 0.001, 1e-5);
  EXPECT_NEAR(thrifty.total().value(), 150e3, 1);
}

TEST(RunNeed, is_the_least_there_is_where_no_price_keeps_the_budget) {
  EXPECT_NEAR(cheapest_need(a_thousand(50), {}, Joules(1)).total().value(), 150e3, 1);
  // Machines that draw so much are soonest off if the jobs hurry.
  EXPECT_EQ(cheapest_need(a_thousand(2000), {}, Joules(1)).price, 0);
}

TEST(BelievedPrice, moves_from_the_usual_price_to_the_one_found_as_jobs_arrive) {
  EXPECT_DOUBLE_EQ(believed_price(kHighestPrice, 0), kUsualPrice);
  // Half-way after 30 jobs: the geometric mean.
  EXPECT_DOUBLE_EQ(believed_price(4 * kUsualPrice, 30), 2 * kUsualPrice);
  EXPECT_NEAR(believed_price(4 * kUsualPrice, 1'000'000), 4 * kUsualPrice, 1e-3 * kUsualPrice);
  EXPECT_LT(believed_price(0, 30), kUsualPrice);
}

TEST(WorkToCome, is_what_is_missing_from_the_plan_where_there_is_one) {
  ArrivalOutlook outlook{.horizon = std::chrono::hours(24), .asked = 100, .expected = 300};
  EXPECT_DOUBLE_EQ(work_to_come(outlook), 2);
  outlook.past = std::chrono::hours(12);
  EXPECT_DOUBLE_EQ(work_to_come(outlook), 2) << "it may all come late";
  outlook.past = std::chrono::hours(30);
  EXPECT_DOUBLE_EQ(work_to_come(outlook), 0) << "after the end nothing";
  outlook.past = {};
  outlook.asked = 400;
  EXPECT_DOUBLE_EQ(work_to_come(outlook), 0);
  outlook.asked = 0;
  EXPECT_DOUBLE_EQ(work_to_come(outlook), 0);
}

TEST(WorkToCome, is_between_what_came_and_what_the_budget_is_for_without_a_plan) {
  const ArrivalOutlook half{.past = std::chrono::hours(12),
                            .horizon = std::chrono::hours(24),
                            .seen = Joules(100),
                            .budget = Joules(150)};
  // 12 of 36 hours are to come of a rate of 250 J in those 36; and half of what came is missing.
  EXPECT_DOUBLE_EQ(work_to_come(half), (2.5 / 3 + 0.5) / 2);
  ArrivalOutlook end = half;
  end.past = end.horizon;
  EXPECT_DOUBLE_EQ(work_to_come(end), 0.25);
  ArrivalOutlook begin = half;
  begin.past = {};
  begin.seen = Joules(1);
  EXPECT_DOUBLE_EQ(work_to_come(begin), (151 + 149) / 2.0);
}

/// A budget of 1 MJ for two days on machines that draw 1 W.
RunBudget two_days() {
  RunBudget budget({.amount = Joules(1e6), .horizon = std::chrono::hours(48)}, Time{}, 0);
  budget.report(budget.add_pool(), {.floor = Watts(1)});
  return budget;
}

TEST(RunBudget, learns_how_much_more_work_needs_than_expected) {
  RunBudget budget = two_days();
  EXPECT_EQ(budget.excess(), 1);
  budget.meter(Time{} + std::chrono::hours(1), Joules(3600 + 60e3));
  budget.report(0, {.floor = Watts(1), .expected = Joules(40e3)});
  const double little = 0.02 * (1e6 - 3600 - 60e3);  // that much of what is left counts as expected
  const double excess = (60e3 + little) / (40e3 + little);
  EXPECT_DOUBLE_EQ(budget.excess(), excess);
  budget.meter(Time{} + std::chrono::hours(1), Joules(3600 + 60e3));
  EXPECT_DOUBLE_EQ(budget.excess(), excess) << "a second look at one instant tells nothing new";
}

TEST(RunBudget, forgets_how_it_was_long_ago) {
  RunBudget budget = two_days();
  for (int hour = 1; hour <= 40; ++hour) {
    const bool is_late = hour > 10;
    budget.meter(Time{} + std::chrono::hours(hour), Joules(hour * 20e3));
    budget.report(0, {.floor = Watts(1), .expected = Joules(is_late ? 20e3 : 10e3)});
    if (hour == 10) {
      EXPECT_GT(budget.excess(), 1.3);
    }
  }
  EXPECT_LT(budget.excess(), 0.95);
}

TEST(RunBudget, learns_quickly_near_its_end) {
  RunBudget budget = two_days();
  budget.meter(Time{} + std::chrono::hours(1), Joules(965e3));
  budget.report(0, {.floor = Watts(1), .expected = Joules(965e3)});
  EXPECT_LT(budget.excess(), 1.01);
  for (int hour = 2; hour <= 4; ++hour) {
    budget.meter(Time{} + std::chrono::hours(hour), Joules(950e3 + hour * 10e3));
    budget.report(0, {.floor = Watts(1), .expected = Joules(4e3)});
  }
  EXPECT_GT(budget.excess(), 1.2) << "of the 35 kJ that were left, 25 did the work of 12";
}

}  // namespace
}  // namespace penstock
