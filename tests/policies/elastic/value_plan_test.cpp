#include "policies/elastic/value_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "policies/elastic/energy_forecast.h"
#include "policies/elastic/random_plan.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Work is counted so that a speed of 1 does a second of it in a second.
Way value_way(std::uint32_t gpus, std::uint32_t mhz, double speed, double watts) {
  return {.gpus = gpus, .clock_mhz = mhz, .speed = Speed(speed), .draw = Watts(watts)};
}
PlanJob value_job(const Curve& curve, double seconds) {
  return {.curve = &curve, .left = Work(seconds * 1000)};
}

// 4 GPUs are twice as fast as 1: an elasticity of one half.
const Curve kRoot(std::vector{value_way(1, 1000, 1, 100), value_way(4, 1000, 2, 400)});
const Curve kRigid(value_way(1, 1000, 1, 100));
// 100 kJ for 1 000 s, or 150 kJ for 800 s: 4 ms for a joule.
const Curve kTwoSpeeds(std::vector{value_way(1, 1000, 1, 100), value_way(1, 1400, 1.25, 187.5)});

TEST(DelayWeight, is_one_for_a_job_alone) {
  EXPECT_EQ(delay_weight(1, 0.05), 1);
  EXPECT_EQ(delay_weight(1, 0.95), 1);
}

TEST(DelayWeight, is_the_root_of_twice_the_rank_less_one_at_an_elasticity_of_a_half) {
  EXPECT_NEAR(delay_weight(2, 0.5), std::sqrt(3), 1e-12);
  EXPECT_NEAR(delay_weight(5, 0.5), 3, 1e-12);
  EXPECT_NEAR(delay_weight(13, 0.5), 5, 1e-12);
}

TEST(DelayWeight, is_the_rank_where_all_gpus_serve_one_job_equally_well) {
  EXPECT_NEAR(delay_weight(4, 0.9999), 4, 0.01);
}

TEST(DelayWeight, is_one_where_more_gpus_serve_nobody) {
  EXPECT_NEAR(delay_weight(4, 0.0001), 1, 0.01);
}

TEST(PlanByValue, gives_every_job_its_fastest_way_where_nothing_is_scarce) {
  const std::vector jobs{value_job(kRoot, 1000), value_job(kTwoSpeeds, 10)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 100}), (Plan{1u, 1u}));
}

TEST(PlanByValue, takes_a_way_only_if_its_time_is_worth_its_energy) {
  const std::vector jobs{value_job(kTwoSpeeds, 1000)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8}, {.energy_price = 0.0039}), Plan{1u});
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8}, {.energy_price = 0.0041}), Plan{0u});
}

TEST(PlanByValue, serves_the_shortest_first_where_gpus_are_scarce) {
  const std::vector jobs{value_job(kRigid, 1000), value_job(kRigid, 10), value_job(kRigid, 100)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 1}), (Plan{std::nullopt, 0u, std::nullopt}));
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 2}), (Plan{std::nullopt, 0u, 0u}));
}

TEST(PlanByValue, shares_gpus_that_serve_two_jobs_better_than_one) {
  const std::vector jobs{value_job(kRoot, 1000), value_job(kRoot, 1001)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 4}), (Plan{0u, 0u}));
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 5}), (Plan{1u, 0u}));
}

TEST(PlanByValue, leaves_a_job_where_it_is_if_a_restart_takes_longer_than_it_saves) {
  PlanJob job = value_job(kRoot, 1000);
  job.gpus_now = 1;
  job.restart = 499s;
  EXPECT_EQ(plan_by_value(std::vector{job}, {.gpus = 8}), Plan{1u});
  job.restart = 501s;
  EXPECT_EQ(plan_by_value(std::vector{job}, {.gpus = 8}), Plan{0u});
}

TEST(PlanByValue, slows_a_job_down_before_it_leaves_one_waiting) {
  const std::vector jobs{value_job(kTwoSpeeds, 1000), value_job(kTwoSpeeds, 1001)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8, .power = Watts(200)}, {.energy_price = 1}),
            (Plan{0u, 0u}));
}

TEST(PlanByValue, starts_every_job_at_any_price_however_short_it_is) {
  PlanJob tiny = value_job(kTwoSpeeds, 0.01);
  tiny.restart = 1000s;
  const std::vector jobs{tiny, value_job(kRoot, 1e6)};
  for (const double price : {0.0, 1e-6, 1e-3, 1.0, 1e3}) {
    const Plan plan = plan_by_value(jobs, {.gpus = 5}, {.energy_price = price});
    EXPECT_TRUE(plan[0] && plan[1]) << price;
  }
}

TEST(PlanByValue, plans_nothing_where_there_is_nothing) {
  EXPECT_EQ(plan_by_value({}, {.gpus = 8}), Plan{});
  const std::vector jobs{value_job(kRoot, 1000)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 0}), Plan{std::nullopt});
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8, .power = Watts(-5)}), Plan{std::nullopt});
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8, .energy = Joules(-5)}), Plan{std::nullopt});
}

PlanCase random_value_case(std::uint64_t seed) {
  PlanDice dice(seed);
  PlanCase c = dice.roll({.most_jobs = 12, .most_gpus = 32, .clocks = dice.between(2, 6)});
  c.limits.gpus = dice.between(1, 40);
  const PlanUse least = use_of(c, Plan(c.jobs.size(), 0u));
  if (dice.chance(0.4)) c.limits.energy = least.energy * dice.real(0.3, 2.5);
  if (dice.chance(0.4)) c.limits.power = least.power * dice.real(0.3, 5);
  return c;
}

TEST(PlanByValue, breaks_no_limit) {
  for (std::uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    const PlanCase c = random_value_case(seed);
    const double price = seed % 3 == 0 ? 0 : kUsualPrice;
    const PlanUse use = use_of(c, plan_by_value(c.jobs, c.limits, {.energy_price = price}));
    EXPECT_LE(use.gpus, c.limits.gpus) << "case " << seed;
    EXPECT_LE(use.power.value(), c.limits.power.value() * (1 + 1e-12)) << "case " << seed;
    EXPECT_LE(use.energy.value(), c.limits.energy.value() * (1 + 1e-12)) << "case " << seed;
  }
}

TEST(PlanByValue, is_the_same_within_limits_that_never_bind) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    PlanCase c = PlanDice(seed).roll({.most_jobs = 60, .most_gpus = 64, .clocks = 8});
    const Plan free = plan_by_value(c.jobs, c.limits, {.energy_price = 1e-5});
    c.limits.power = Watts(1e9);
    c.limits.energy = Joules(1e15);
    EXPECT_EQ(plan_by_value(c.jobs, c.limits, {.energy_price = 1e-5}), free) << seed;
    c.limits.energy = Joules{std::numeric_limits<double>::infinity()};
    const PricedPlan priced = plan_within(c.jobs, c.limits, {.energy_price = 1e-5}, 1e-3);
    EXPECT_EQ(priced.plan, free) << seed;
    EXPECT_EQ(priced.price, 1e-5) << seed;
  }
}

TEST(PlanByValue, leaves_nobody_waiting_while_a_gpu_is_free) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    PlanCase c = random_value_case(seed);
    c.limits = {.gpus = c.limits.gpus};
    const PlanUse use = use_of(c, plan_by_value(c.jobs, c.limits, {.energy_price = kUsualPrice}));
    EXPECT_TRUE(use.waiting == 0 || use.gpus == c.limits.gpus) << "case " << seed;
  }
}

TEST(PlanByValue, keeps_clocks_low_where_gpus_run_out_and_energy_is_dear) {
  // Two and three times the energy for a quarter more speed, on one and on four GPUs.
  const Curve curve(std::vector{value_way(1, 1000, 1, 100), value_way(1, 1400, 1.25, 250),
                                value_way(4, 1000, 2, 400), value_way(4, 1400, 2.5, 1000)});
  const std::vector jobs{value_job(curve, 1000), value_job(curve, 1001)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 2}), (Plan{1u, 1u}));
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 2}, {.energy_price = 0.1}), (Plan{0u, 0u}));
}

TEST(PlanByValue, counts_the_restart_that_a_waiting_job_needs) {
  // With as much to do they would tie; a job that must first start delays the other for longer.
  std::vector jobs{value_job(kRigid, 100), value_job(kRigid, 100)};
  jobs[0].restart = 30s;
  jobs[1].restart = 30s;
  jobs[1].gpus_now = 1;
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 1}), (Plan{std::nullopt, 0u}));
  jobs[0].left = Work(10'000);
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 1}), (Plan{0u, std::nullopt}));
}

TEST(PlanByValue, lets_a_large_job_in_beside_a_long_one_that_would_take_half_of_all) {
  const Curve large(value_way(8, 1000, 1, 800));
  const std::vector jobs{value_job(large, 600), value_job(kRoot, 1e5)};
  EXPECT_EQ(plan_by_value(jobs, {.gpus = 8}), (Plan{0u, std::nullopt}));
}

double price_of_power(const std::vector<PlanJob>& jobs, double watts, double least, double near) {
  return plan_within(jobs, {.gpus = 100, .power = Watts(watts)}, {.energy_price = least}, near)
      .price;
}

TEST(PlanWithin, has_the_price_of_the_options_where_limits_do_not_bind) {
  const std::vector jobs{value_job(kTwoSpeeds, 1000)};
  EXPECT_EQ(price_of_power(jobs, 200, 0, 0), 0);
  EXPECT_EQ(price_of_power(jobs, 200, 1e-3, 0), 1e-3);
  EXPECT_EQ(price_of_power(jobs, 200, 20 * kHighestPrice, 0), 20 * kHighestPrice);
}

TEST(PlanWithin, has_the_least_price_that_keeps_a_limit_wherever_it_is_looked_for) {
  // 200 s for 50 kJ: from 4 ms a joule on it runs at 100 W.
  const std::vector slow{value_job(kTwoSpeeds, 1000)};
  for (const double near : {0.0, 1e-5, 3.9e-3, 4.1e-3, 1.0}) {
    EXPECT_GE(price_of_power(slow, 150, 0, near), 4e-3);
    EXPECT_LE(price_of_power(slow, 150, 0, near), 4e-3 * 1.06);
  }
  EXPECT_EQ(plan_within(slow, {.gpus = 100, .power = Watts(150)}, {}, 0).plan, Plan{0u});
}

TEST(PlanWithin, leaves_jobs_waiting_where_no_price_keeps_a_limit) {
  const std::vector jobs{value_job(kTwoSpeeds, 1000), value_job(kTwoSpeeds, 10)};
  const PricedPlan priced = plan_within(jobs, {.gpus = 8, .power = Watts(110)}, {}, 0);
  EXPECT_EQ(priced.plan, (Plan{std::nullopt, 0u}));
}

TEST(PlanWithin, counts_the_energy_that_waiting_jobs_will_need) {
  // One GPU: 100 kJ for the one that runs at the low clock, 100 kJ for the other.
  const std::vector jobs{value_job(kTwoSpeeds, 1000), value_job(kTwoSpeeds, 1001)};
  const auto plan = [&](double joules) {
    return plan_within(jobs, {.gpus = 1, .energy = Joules(joules)}, {}, 0).plan;
  };
  EXPECT_EQ(plan(260e3), (Plan{1u, std::nullopt}));
  EXPECT_EQ(plan(240e3), (Plan{0u, std::nullopt}));
}

}  // namespace
}  // namespace penstock
