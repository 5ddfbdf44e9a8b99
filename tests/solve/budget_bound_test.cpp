// No run that keeps a budget of energy beats the bound for it.
#include "solve/budget_bound.h"

#include <gtest/gtest.h>

#include <vector>

#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

BoundedWorld as_bounded(const World& world) {
  return {.cluster = world.cluster,
          .signals = world.signals,
          .costs = world.costs,
          .failures = world.sim.failures.has_value(),
          .over_request = world.sim.over_request,
          .models = &world.models,
          .start = world.jobs.empty() ? world.start() : world.jobs.front().job.submitted};
}

BudgetBound bound_of(const World& world) {
  VectorSource source(world.jobs);
  return BudgetBound(as_bounded(world), source);
}

Bounds without_budget(const World& world) {
  VectorSource source(world.jobs);
  return lower_bounds(as_bounded(world), source);
}

double jct(const World& world, double joules) {
  return seconds(bound_of(world).jct_mean(Joules(joules)).value_or(Duration(-1)));
}

struct Used {
  double jct = 0;
  Joules energy{};
};

Used used_in(const World& world, const RunLog& log) {
  Used used;
  for (const EndedJob& ended : log.ended)
    used.jct += seconds(ended.finish - world.jobs[ended.job.index].job.submitted) /
                static_cast<double>(log.ended.size());
  for (const auto& site : log.result.sites) used.energy += site.bill.total().energy;
  return used;
}

struct BudgetedRun {
  const char* policy;
  Options options;
};

TEST(BudgetBound, is_kept_by_every_policy_with_the_energy_that_it_used) {
  const std::vector<BudgetedRun> cases{{"fifo", {{"backfill", "none"}}},
                                       {"srtf", {{"backfill", "none"}}},
                                       {"las", {{"backfill", "easy"}, {"quantum", "10 s"}}},
                                       {"afs", {}},
                                       {"pollux", {}},
                                       {"powerflow", {}},
                                       {"powerflow", {{"energy_price", "500"}}}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const World world = random_world(seed, {.failures = seed % 5 == 0,
                                            .elastic = seed % 4 != 0,
                                            .fronts = seed % 8 == 3,
                                            .tables = seed % 4 == 2});
    const BudgetBound bound = bound_of(world);
    for (const BudgetedRun& c : cases) {
      SCOPED_TRACE(testing::Message() << c.policy << " in world " << seed);
      const RunLog log = run_logged(world, c.policy, c.options);
      ASSERT_EQ(log.ended.size(), world.jobs.size());
      const Used used = used_in(world, log);
      ASSERT_LE(bound.least_energy(), used.energy);
      const auto least = bound.jct_mean(used.energy);
      ASSERT_TRUE(least);
      ASSERT_LE(seconds(*least), used.jct);
    }
  }
}

TEST(BudgetBound, does_not_rise_with_the_budget_nor_fall_below_that_without_one) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    const World world = random_world(seed, {.elastic = seed % 4 != 0, .tables = seed % 4 == 2});
    const BudgetBound bound = bound_of(world);
    const Joules least = bound.least_energy();
    EXPECT_TRUE(least == Joules{} || !bound.jct_mean(least * 0.999));
    const Duration plain = *without_budget(world).jct_mean;
    Duration before = Duration::max();
    for (double times = 1; times < 3; times += 0.05) {
      const Duration now = *bound.jct_mean(least * times);
      EXPECT_LE(now, before);
      EXPECT_GE(now, plain - Duration(1));
      before = now;
    }
  }
}

/// One GPU with two clocks: one kind needs 1000 s and 500 kJ, or at half the clock 2000 s and 475
/// kJ, each with the 100 W of its node.
World two_clocks(std::uint32_t nodes = 1) {
  World world = one_site(nodes, 1);
  GpuType& type = world.cluster.types.front();
  type.min_clock_mhz = 500;
  type.clock_step_mhz = 500;
  type.max_clock_mhz = 1000;
  world.models = Models(1);
  world.models.set(
      world.models.add_kind(), GpuTypeId{0},
      {.name = "kind",
       .gpu = "plain",
       .speed = {.alpha_c = 1, .gamma = 1},
       .power = {.p0 = Watts(100), .p1 = Watts(0), .p3 = Watts(300), .p1_sync = Watts(0)},
       .batch = {.least = 1, .most = 1, .local_most = 1}});
  return world;
}

void add_training(World& world) {
  add_job(world, {.requested = 1000, .actual = 1000});
  TracedJob& traced = world.jobs.back();
  traced.job.kind_id = KindId{0};
  traced.job.batch = 1;
  traced.job.work = traced.work = Work(1000);
}

TEST(BudgetBound, mixes_two_clocks) {
  World world = two_clocks();
  add_training(world);
  EXPECT_NEAR(bound_of(world).least_energy().value(), 475e3, 1);
  EXPECT_NEAR(jct(world, 475.001e3), 2000, 0.1);
  EXPECT_NEAR(jct(world, 487.5e3), 1500, 0.1);
  EXPECT_NEAR(jct(world, 500e3), 1000, 0.1);
  EXPECT_NEAR(jct(world, 1e12), 1000, 0.1);
  EXPECT_FALSE(bound_of(world).jct_mean(Joules(474e3)));
}

TEST(BudgetBound, counts_other_machines_while_the_last_job_runs) {
  World world = two_clocks(2);  // 150 W more, as long as it runs: the high clock needs less
  add_training(world);
  EXPECT_NEAR(bound_of(world).least_energy().value(), 650e3, 1);
  EXPECT_NEAR(jct(world, 650.001e3), 1000, 0.1);
  world.costs.sleep_after = Duration(0);  // 15 W more
  EXPECT_NEAR(bound_of(world).least_energy().value(), 475e3 + 30e3, 1);
  EXPECT_NEAR(jct(world, (515e3 + 505e3) / 2), 1500, 0.1);
}

TEST(BudgetBound, knows_that_jobs_wait_for_each_other) {
  World world = two_clocks();
  for (int i = 0; i < 2; ++i) add_training(world);
  EXPECT_NEAR(jct(world, 1e12), 1500, 2);
  EXPECT_NEAR(bound_of(world).least_energy().value(), 950e3, 100);
  // At 975 kJ the first would have its highest clock, the second its lowest: 1000 s and 3000 s.
  EXPECT_LE(jct(world, 975e3), 2000);
  // Both at their lowest, 2000 s and 4000 s, are done on average by 1000 s and 3000 s; each ends at
  // least 500 s later, half of what it takes at its highest.
  EXPECT_NEAR(jct(world, 950.001e3), 2500, 5);
}

TEST(BudgetBound, counts_cooling) {
  World world = two_clocks();
  add_training(world);
  world.signals.front().pue = Signal<Ratio>::constant(Ratio(1.2));
  EXPECT_NEAR(jct(world, 487.5e3 * 1.2), 1500, 0.1);
}

TEST(BudgetBound, of_nothing_is_nothing) {
  const World world = one_site(1, 1);
  const BudgetBound bound = bound_of(world);
  EXPECT_EQ(bound.least_energy(), Joules{});
  EXPECT_FALSE(bound.jct_mean(Joules(1)));
}

}  // namespace
}  // namespace penstock
