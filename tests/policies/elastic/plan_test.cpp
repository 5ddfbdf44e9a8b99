#include "policies/elastic/plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policies/elastic/brute_force_plan.h"
#include "policies/elastic/plan_shares.h"
#include "policies/elastic/random_plan.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Work is counted so that a speed of 1 does a second of it in a second.
Way way(std::uint32_t gpus, std::uint32_t mhz, double speed, double watts) {
  return {.gpus = gpus, .clock_mhz = mhz, .speed = Speed(speed), .draw = Watts(watts)};
}
PlanJob job_of(const Curve& curve, double seconds) {
  return {.curve = &curve, .left = Work(seconds * 1000)};
}

// Twice the GPUs: 1.6 times as fast for 2 times the power; the faster clock 1.25 for 1.5.
const Curve kPlain(std::vector{way(1, 1000, 1, 100), way(1, 1400, 1.25, 150),
                               way(2, 1000, 1.6, 200), way(2, 1400, 2, 300)});
const Curve kSaturated(std::vector{way(1, 1000, 1, 100), way(2, 1000, 1, 200),
                                   way(4, 1000, 0.9, 400)});
const Curve kFree(std::vector{way(1, 1000, 1, 100), way(2, 1000, 2, 200), way(4, 1000, 4, 390)});

TEST(Priority, is_relative_time_saved_by_relative_energy_added) {
  const PlanJob job = job_of(kPlain, 1000);
  // 1000 s to 800 s, 100 kJ to 120 kJ
  EXPECT_DOUBLE_EQ(priority(job, kPlain.way(0), kPlain.way(1)), 0.2 / 0.2);
  // 1000 s to 625 s, 100 kJ to 125 kJ
  EXPECT_DOUBLE_EQ(priority(job, kPlain.way(0), kPlain.way(2)), 0.375 / 0.25);
}

TEST(Priority, is_minus_infinity_without_gain_and_infinity_when_free) {
  const PlanJob same = job_of(kSaturated, 1000);
  EXPECT_EQ(priority(same, kSaturated.way(0), kSaturated.way(1)), -kInfinity);
  EXPECT_EQ(priority(same, kSaturated.way(0), kSaturated.way(2)), -kInfinity);
  const PlanJob free = job_of(kFree, 1000);
  EXPECT_EQ(priority(free, kFree.way(0), kFree.way(1)), kInfinity);
  EXPECT_EQ(priority(free, kFree.way(0), kFree.way(2)), kInfinity);
}

TEST(Priority, of_a_job_without_work_is_minus_infinity) {
  const PlanJob done = job_of(kPlain, 0);
  EXPECT_EQ(priority(done, kPlain.way(0), kPlain.way(1)), -kInfinity);
  EXPECT_EQ(plan_greedily(std::vector{done}, {.gpus = 8}), Plan{0u});
}

TEST(Priority, counts_a_restart_only_where_gpus_change) {
  PlanJob job = job_of(kPlain, 1000);
  job.restart = 400s;
  job.gpus_now = 1;
  EXPECT_EQ(time_ahead(job, kPlain.way(1)), 800s);
  EXPECT_EQ(time_ahead(job, kPlain.way(2)), 1025s);
  EXPECT_EQ(energy_ahead(job, kPlain.way(2)), Joules(205'000));
  EXPECT_EQ(priority(job, kPlain.way(0), kPlain.way(2)), -kInfinity);
  job.gpus_now = 0;
  EXPECT_EQ(time_ahead(job, kPlain.way(1)), 1200s);
}

TEST(Priority, counts_the_nodes_energy_but_not_their_power) {
  Way with_node = way(1, 1000, 1, 100);
  with_node.nodes = Watts(50);
  const Curve curve(with_node);
  const PlanJob job = job_of(curve, 10);
  EXPECT_EQ(energy_ahead(job, with_node), Joules(1500));
  EXPECT_EQ(plan_greedily(std::vector{job}, {.gpus = 1, .power = Watts(100)}), Plan{0u});
  EXPECT_EQ(plan_greedily(std::vector{job}, {.gpus = 1, .energy = Joules(1499)}),
            Plan{std::nullopt});
}

TEST(PlanGreedily, gives_everything_that_gains_where_nothing_is_scarce) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kSaturated, 1000), job_of(kFree, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 100}), (Plan{3u, 0u, 2u}));
}

TEST(PlanGreedily, gives_no_more_to_a_saturated_job) {
  EXPECT_EQ(plan_greedily(std::vector{job_of(kSaturated, 1000)}, {.gpus = 8}), Plan{0u});
}

TEST(PlanGreedily, breaks_ties_by_the_order_given) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 3, .power = Watts(300)}), (Plan{2u, 0u}));
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .power = Watts(100)}), (Plan{0u, std::nullopt}));
}

TEST(PlanGreedily, takes_free_gains_before_all_others) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kFree, 10)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 5, .energy = Joules(101'000)}), (Plan{0u, 2u}));
}

TEST(PlanGreedily, takes_the_step_of_the_highest_priority_first) {
  // GPUs are worth 1.5 and the clock 1: within 125 kJ there is only one of them.
  const std::vector jobs{job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(125'000)}), Plan{2u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(125'000)}), Plan{1u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(124'999)}), Plan{1u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(119'999)}), Plan{0u});
}

TEST(PlanGreedily, skips_a_step_that_breaks_a_limit_instead_of_stopping) {
  // The large job's step comes first by its order, and needs 25 kJ; the small one's 2.5 kJ.
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 100)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(112'500)}), (Plan{0u, 2u}));
  // 350 W: two GPUs for the first, then neither its clock nor the other's, at last nothing.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .power = Watts(350)}), (Plan{2u, 1u}));
}

TEST(PlanGreedily, keeps_the_energy_of_a_waiting_job_for_it) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 1000)};
  // One GPU: the second job waits, and its 100 kJ are not for the first one's clock.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(219'999)}), (Plan{0u, std::nullopt}));
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(220'000)}), (Plan{1u, std::nullopt}));
  // What cannot be kept anyway is not kept.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(199'999)}), (Plan{1u, std::nullopt}));
}

TEST(PlanGreedily, admits_a_later_job_where_an_earlier_one_does_not_fit) {
  const Curve wide(way(4, 1000, 1, 100));
  const std::vector jobs{job_of(wide, 10), job_of(kSaturated, 10)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 3}), (Plan{std::nullopt, 0u}));
}

TEST(PlanGreedily, plans_nothing_where_there_is_nothing) {
  EXPECT_EQ(plan_greedily({}, {.gpus = 8}), Plan{});
  const std::vector jobs{job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 0}), Plan{std::nullopt});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .power = Watts(-5)}), Plan{std::nullopt});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(-5)}), Plan{std::nullopt});
}

/// Limits that cut the steps off anywhere, or never.
PlanCase random_case(std::uint64_t seed) {
  PlanDice dice(seed);
  PlanCase c = dice.roll({.most_jobs = 12, .most_gpus = 32, .clocks = dice.between(2, 6)});
  c.limits.gpus = dice.between(1, 40);
  const PlanUse least = use_of(c, Plan(c.jobs.size(), 0u));
  if (dice.chance(0.6)) c.limits.energy = least.energy * dice.real(0.3, 2.5);
  if (dice.chance(0.4)) c.limits.power = least.power * dice.real(0.3, 5);
  return c;
}

TEST(PlanGreedily, takes_the_same_steps_as_brute_force) {
  std::uint32_t waiting = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const PlanCase c = random_case(seed);
    const Plan plan = plan_greedily(c.jobs, c.limits);
    EXPECT_EQ(plan, BruteForce(c).plan()) << "case " << seed;
    waiting += use_of(c, plan).waiting;
  }
  EXPECT_GT(waiting, 1000u);
}

TEST(PlanGreedily, breaks_no_limit) {
  for (std::uint64_t seed = 0; seed < 5000 && !HasFailure(); ++seed) {
    const PlanCase c = random_case(seed);
    for (const Plan& plan : {plan_greedily(c.jobs, c.limits), plan_by_shares(c.jobs, c.limits)}) {
      const PlanUse use = use_of(c, plan);
      EXPECT_LE(use.gpus, c.limits.gpus) << "case " << seed;
      EXPECT_LE(use.power.value(), c.limits.power.value() * (1 + 1e-12)) << "case " << seed;
      EXPECT_LE(use.energy.value(), c.limits.energy.value() * (1 + 1e-12)) << "case " << seed;
    }
  }
}

/// Can any job still go up by a clock?
bool has_clock_to_spare(const PlanCase& c, const Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Curve& curve = *c.jobs[i].curve;
    const auto faster = curve.faster_clock(*plan[i]);
    if (!faster || priority(c.jobs[i], curve.way(*plan[i]), curve.way(*faster)) <= 0) continue;
    Plan more = plan;
    more[i] = faster;
    if (use_of(c, more).power <= c.limits.power) return true;
  }
  return false;
}

TEST(PlanGreedily, leaves_no_clock_that_gains_and_fits) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    PlanCase c = random_case(seed);
    c.limits.energy = Joules(kInfinity);
    EXPECT_FALSE(has_clock_to_spare(c, plan_greedily(c.jobs, c.limits))) << "case " << seed;
  }
}

TEST(PlanByShares, admits_the_same_jobs) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    const PlanCase c = random_case(seed);
    const Plan published = plan_greedily(c.jobs, c.limits);
    const Plan by_shares = plan_by_shares(c.jobs, c.limits);
    for (std::size_t i = 0; i < published.size(); ++i)
      EXPECT_EQ(published[i].has_value(), by_shares[i].has_value()) << "case " << seed;
  }
}

TEST(PlanByShares, gives_scarce_gpus_to_the_job_that_saves_most_time) {
  // Alike in relative terms, but the second saves ten times as much.
  const std::vector jobs{job_of(kFree, 100), job_of(kFree, 1000)};
  EXPECT_EQ(plan_by_shares(jobs, {.gpus = 5}), (Plan{0u, 2u}));
  EXPECT_EQ(plan_by_shares(jobs, {.gpus = 5}, {.favour_short = 2}), (Plan{2u, 0u}));
}

TEST(PlanByShares, steps_over_a_number_of_gpus_that_gains_nothing) {
  const Curve late(std::vector{way(1, 1000, 1, 100), way(2, 1000, 0.9, 150), way(4, 1000, 3, 300)});
  EXPECT_EQ(plan_by_shares(std::vector{job_of(late, 1000)}, {.gpus = 4}), Plan{2u});
}

}  // namespace
}  // namespace penstock
