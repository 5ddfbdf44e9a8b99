// No policy beats the lower bounds of its world.
#include "solve/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

struct Case {
  const char* policy;
  Options options;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"fifo", {{"backfill", "none"}}},
      {"srtf", {{"backfill", "none"}}},
      {"edf", {{"backfill", "easy"}}},
      {"las", {{"backfill", "easy"}, {"quantum", "10 s"}}},
      {"afs", {}},
      {"powerflow", {}},
  };
  return all;
}

constexpr double kCarbonPrice = 80e-6;  // 80 a tonne

/// Jobs with a deadline cost money when late.
World weighted_world(std::uint64_t seed) {
  World world = random_world(seed, {.failures = seed % 5 == 0,
                                    .elastic = seed % 2 == 0,
                                    .fronts = seed % 8 == 4,
                                    .tables = seed % 4 >= 2});
  Rng rng(seed);
  const double dearest = 0.01 * std::pow(10.0, -double(seed % 4));
  for (TracedJob& traced : world.jobs) {
    traced.job.tardiness_weight = MoneyRate(dearest * rng.uniform());
    if (seed % 7 < 3)  // tight, or impossible
      traced.job.deadline = traced.job.submitted + traced.actual / 2 * (seed % 7 + 1);
  }
  if (seed % 3 == 0) return world;
  for (SiteSignals& site : world.signals) {  // prices above nothing
    std::vector<Signal<Price>::Step> steps(site.price.steps().begin(), site.price.steps().end());
    for (auto& step : steps) step.value = Price(std::abs(step.value.value()));
    site.price = Signal<Price>(steps);
  }
  return world;
}

Bounds bounds_of(const World& world, const BoundSettings& settings = {}) {
  VectorSource source(world.jobs);
  return lower_bounds({.cluster = world.cluster,
                       .signals = world.signals,
                       .costs = world.costs,
                       .failures = world.sim.failures.has_value(),
                       .over_request = world.sim.over_request,
                       .models = &world.models,
                       .carbon_price = kCarbonPrice,
                       .start = world.jobs.front().job.submitted},
                      source, settings);
}

/// The figures of a run that are bounded.
struct Figures {
  double jct = 0;
  double makespan = 0;
  double joules = 0;
  double money = 0;
  double grams = 0;
};

Figures figures_of(const World& world, const RunLog& log) {
  Figures run;
  Time last = world.start();
  for (const EndedJob& ended : log.ended) {
    const Job& job = world.jobs[ended.job.index].job;
    run.jct += seconds(ended.finish - job.submitted) / static_cast<double>(log.ended.size());
    last = std::max(last, ended.finish);
    if (job.deadline && ended.finish > *job.deadline)
      run.money += (job.tardiness_weight * (ended.finish - *job.deadline)).value();
  }
  run.makespan = seconds(last - world.jobs.front().job.submitted);
  for (const auto& site : log.result.sites) {
    const Bill bill = site.bill.total();
    run.joules += bill.energy.value();
    run.grams += bill.carbon.value();
    run.money += bill.cost.value() + bill.rent.value() + bill.carbon.value() * kCarbonPrice;
  }
  return run;
}

TEST(Bounds, are_kept_by_every_policy_in_every_world) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const World world = weighted_world(seed);
    // Windows as long as the things that happen in these worlds, and hours.
    const Bounds fine = bounds_of(world, {.window = Duration(1 + seed * 997), .most_windows = 12});
    const Bounds plain = seed % 4 == 1 ? bounds_of(world) : fine;
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << c.policy << " in world " << seed);
      const RunLog log = run_logged(world, c.policy, c.options);
      ASSERT_EQ(log.ended.size(), world.jobs.size());
      const Figures run = figures_of(world, log);
      for (const Bounds& bounds : {fine, plain}) {
        ASSERT_LE(seconds(*bounds.jct_mean), run.jct);
        ASSERT_LE(seconds(*bounds.makespan), run.makespan);
        ASSERT_LE(bounds.energy->value(), run.joules);
        ASSERT_LE(bounds.carbon->value(), run.grams);
        ASSERT_LE(bounds.total_cost.value_or(Money(-1e30)).value(), run.money);
      }
    }
  }
}

constexpr double kHour = 3600;

/// One node of one GPU: 150 W idle, 500 W with a job. Prices by the hour, the last for ever.
World one_gpu(const std::vector<double>& prices) {
  World world = one_site(1, 1);
  std::vector<Signal<Price>::Step> steps;
  for (std::size_t i = 0; i < prices.size(); ++i)
    steps.push_back({world.start() + std::chrono::hours(i), Price(prices[i])});
  world.signals.front().price = Signal<Price>(steps);
  return world;
}

TEST(Bounds, of_a_job_alone_are_what_it_takes) {
  World world = one_gpu({0.2});
  add_job(world, {.requested = 100, .actual = 100});
  const Bounds bounds = bounds_of(world);
  EXPECT_NEAR(seconds(*bounds.jct_mean), 100, 1e-2);
  EXPECT_NEAR(seconds(*bounds.makespan), 100, 1e-2);
  EXPECT_NEAR(bounds.energy->value(), 500 * 100, 1);
  EXPECT_NEAR(bounds.total_cost->value(), 0.2 * 500 * 100 / 3.6e6, 1e-8);
}

TEST(Bounds, know_that_jobs_wait_for_each_other) {
  World world = one_gpu({0.2});
  for (int i = 0; i < 2; ++i) add_job(world, {.requested = 100, .actual = 100});
  const Bounds bounds = bounds_of(world);
  EXPECT_NEAR(seconds(*bounds.jct_mean), (100 + 200) / 2.0, 1e-2);
  EXPECT_NEAR(seconds(*bounds.makespan), 200, 1e-2);
}

TEST(Bounds, know_that_children_wait_for_parents) {
  World world = one_site(4, 4);
  add_job(world, {.requested = 100, .actual = 100});
  add_job(world, {.submitted = 10, .requested = 50, .actual = 50, .parents = {JobId{0}}});
  const Bounds bounds = bounds_of(world);
  EXPECT_NEAR(seconds(*bounds.jct_mean), (100 + 140) / 2.0, 1e-2);
}

TEST(Bounds, let_a_job_wait_for_a_cheap_hour_but_pay_for_the_idle_one) {
  World world = one_gpu({0.5, 0.1, 1});
  add_job(world, {.requested = kHour, .actual = kHour});
  const Bounds bounds = bounds_of(world, {.window = std::chrono::minutes(1)});
  EXPECT_NEAR(bounds.total_cost->value(), 0.15 * 0.5 + 0.5 * 0.1, 5e-4);
}

TEST(Bounds, let_only_one_job_have_the_cheap_hour) {
  World world = one_gpu({0.5, 0.1, 0.5});
  for (int i = 0; i < 2; ++i) add_job(world, {.requested = kHour, .actual = kHour});
  EXPECT_NEAR(bounds_of(world).total_cost->value(), 0.5 * 0.5 + 0.5 * 0.1, 1e-6);
}

TEST(Bounds, know_how_much_of_a_job_can_be_done_in_an_hour) {
  World world = one_gpu({0.5, 0.1, 0.5});
  add_job(world, {.requested = 2 * kHour, .actual = 2 * kHour});
  EXPECT_NEAR(bounds_of(world).total_cost->value(), 0.5 * 0.5 + 0.5 * 0.1, 1e-6);
}

TEST(Bounds, count_what_a_job_is_late_anyway) {
  World world = one_gpu({0});
  add_job(world, {.requested = kHour, .actual = kHour});
  world.jobs.front().job.deadline = world.start() + std::chrono::minutes(30);
  world.jobs.front().job.tardiness_weight = MoneyRate(0.01);
  EXPECT_NEAR(bounds_of(world).total_cost->value(), 18, 1e-6);
}

TEST(Bounds, know_that_one_of_two_jobs_is_late) {
  World world = one_gpu({0});
  for (int i = 0; i < 2; ++i) {
    add_job(world, {.requested = kHour, .actual = kHour});
    world.jobs.back().job.deadline = world.start() + std::chrono::hours(1);
    world.jobs.back().job.tardiness_weight = MoneyRate(0.01);
  }
  // A GPU-second of the first hour is worth a second of lateness: both cost 36, the hour is worth
  // 36. Pieces of both in the first hour are in time, but neither job ends with them.
  const double bound = bounds_of(world).total_cost->value();
  EXPECT_LE(bound, 36);
  EXPECT_GE(bound, 35.5);
}

TEST(Bounds, find_the_cheap_hours_in_a_longer_window) {
  World world = one_gpu({0.5, 0.1, 0.5, 0.5});
  for (int i = 0; i < 2; ++i) add_job(world, {.requested = kHour, .actual = kHour});
  const Bounds bounds = bounds_of(world, {.window = std::chrono::hours(4)});
  EXPECT_NEAR(bounds.total_cost->value(), 0.5 * 0.5 + 0.5 * 0.1, 1e-6);
}

TEST(Bounds, let_only_machines_with_jobs_earn_more_than_idle_ones) {
  World world = one_gpu({-0.1, 0.5});
  world.cluster = one_site(2, 1).cluster;
  world.costs.restart = std::chrono::seconds(30);
  add_job(world, {.requested = kHour, .actual = kHour});
  EXPECT_NEAR(bounds_of(world).total_cost->value(), -0.1 * (0.5 + 0.15), 1e-6);
}

TEST(Bounds, know_that_a_late_job_does_not_wait_to_earn) {
  World world = one_gpu({0.5, -0.1, -0.1, 0.5});
  world.costs.restart = std::chrono::seconds(30);
  add_job(world, {.requested = kHour, .actual = kHour});
  world.jobs.front().job.deadline = world.start() + std::chrono::hours(1);
  world.jobs.front().job.tardiness_weight = MoneyRate(1);
  // The bound does not know that the machine is off the bill when the job ends: it may go on idle.
  EXPECT_NEAR(bounds_of(world).total_cost->value(), 0.5 * 0.5 - 2 * 0.1 * 0.15, 1e-6);
}

TEST(Bounds, are_not_told_where_money_can_be_earned_for_ever) {
  World world = one_gpu({0.5, -0.1});
  add_job(world, {.requested = 100, .actual = 100});
  const Bounds bounds = bounds_of(world);
  EXPECT_FALSE(bounds.total_cost.has_value());
  EXPECT_TRUE(bounds.energy.has_value());
}

TEST(Bounds, let_idle_nodes_sleep_only_where_they_may) {
  World world = one_site(2, 1);
  add_job(world, {.requested = 100, .actual = 100});
  EXPECT_NEAR(bounds_of(world).energy->value(), (500 + 150) * 100, 1);
  world.costs.sleep_after = Duration(0);
  EXPECT_NEAR(bounds_of(world).energy->value(), (500 + 15) * 100, 1);
}

TEST(Bounds, of_nothing_are_nothing) {
  const World world = one_site(1, 1);
  VectorSource nobody(world.jobs);
  const Bounds bounds = lower_bounds({.cluster = world.cluster, .signals = world.signals}, nobody);
  EXPECT_FALSE(bounds.jct_mean || bounds.makespan || bounds.energy || bounds.total_cost);
}

}  // namespace
}  // namespace penstock
