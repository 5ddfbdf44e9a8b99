// No router beats the bounds of its world, which know everything.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solve/bounds.h"
#include "worlds/geo_world.h"
#include "worlds/random_world.h"
#include "worlds/run_log.h"
#include "worlds/worlds_to_try.h"

namespace penstock {
namespace {

constexpr double kGeoCarbonPrice = 80e-6;

BoundedWorld bounded(const World& world) {
  return {.cluster = world.cluster,
          .signals = world.signals,
          .costs = world.costs,
          .failures = world.sim.failures.has_value() || !world.sim.outages.empty(),
          .over_request = world.sim.over_request,
          .models = &world.models,
          .carbon_price = kGeoCarbonPrice,
          .start = world.jobs.front().job.submitted};
}

/// What the utility is made of, and the rest that is bounded.
struct Terms {
  double cost = 0;
  double carbon = 0;
  double transfer = 0;
  double tardiness = 0;
  double late = 0;
  double utilisation = 0;
  Duration makespan{};

  double utility(const UtilityWeights& weights, const Terms& home) const {
    return weights.utilization * utilisation - weights.cost * cost / home.cost -
           weights.carbon * carbon / home.carbon - weights.transfer * transfer / home.cost -
           weights.late * late;
  }
};

Terms terms_of(const World& world, const RunLog& log) {
  Terms terms;
  Time last = world.start();
  for (const EndedJob& ended : log.ended) {
    const Job& job = world.jobs[ended.job.index].job;
    last = std::max(last, ended.finish);
    terms.utilisation += seconds(ended.held) * ended.gpus_mean;
    if (!job.deadline || ended.finish <= *job.deadline) continue;
    terms.late += 1.0 / static_cast<double>(world.jobs.size());
    terms.tardiness += (job.tardiness_weight * (ended.finish - *job.deadline)).value();
  }
  terms.makespan = last - world.jobs.front().job.submitted;
  terms.utilisation /= world.cluster.gpu_count() * seconds(last - world.jobs.front().job.submitted);
  for (const auto& site : log.result.sites) {
    const Bill bill = site.bill.total();
    terms.cost += bill.cost.value() + bill.rent.value();
    terms.carbon += bill.carbon.value() + site.sent.carbon.value();
    terms.transfer += site.sent.money().value();
  }
  return terms;
}

Terms run_router(const World& world, const char* router, const char* wait = "none") {
  return terms_of(world,
                  run_logged(world, "geo", {{"router", router}, {"site", "srtf"}, {"wait", wait}}));
}

double most_utility(const World& world, const UtilityWeights& weights, const Terms& home,
                    const BoundSettings& settings = {}) {
  VectorSource source(world.jobs);
  const HomeRun reference{.cost = Money(home.cost), .carbon = GramsCo2(home.carbon)};
  return -*least_sum(bounded(world), source,
                     utility_objective(weights, reference, static_cast<double>(world.jobs.size())),
                     settings);
}

/// Jobs have homes, files and deadlines. GPUs are held for work only: nothing is restarted or
/// woken.
World geo_world_of(std::uint64_t seed) {
  World world = random_world(seed, {.most_sites = 3,
                                    .failures = false,
                                    .sleep = false,
                                    .restarts = false,
                                    .elastic = seed % 4 == 0,
                                    .tables = seed % 8 >= 4,
                                    .homes = true});
  Rng rng(seed);
  for (TracedJob& traced : world.jobs) {
    traced.job.tardiness_weight = MoneyRate(0.01 * rng.uniform());
    if (seed % 2 == 0) traced.job.deadline = traced.job.submitted + traced.actual * 3;
  }
  if (seed % 3 == 0 && world.sim.outages.empty()) return world;
  for (SiteSignals& site : world.signals) {  // prices above nothing
    std::vector<Signal<Price>::Step> steps(site.price.steps().begin(), site.price.steps().end());
    for (auto& step : steps) step.value = Price(std::abs(step.value.value()));
    site.price = Signal<Price>(steps);
  }
  return world;
}

using RouterAndWait = std::pair<const char*, const char*>;
constexpr std::array<RouterAndWait, 8> kRouters{{{"local", "none"},
                                                 {"random", "none"},
                                                 {"cheapest", "none"},
                                                 {"greenest", "none"},
                                                 {"most-free", "none"},
                                                 {"cheapest", "cheapest"},
                                                 {"greenest", "greenest"},
                                                 {"mpc", "none"}}};

TEST(GeoBounds, are_kept_by_every_router_in_every_world) {
  const UtilityWeights weights;
  for (std::uint64_t seed = 0; seed < worlds_to_try(80); ++seed) {
    const World world = geo_world_of(seed);
    const BoundSettings settings{.window = Duration(1000 + seed * 997), .most_windows = 40};
    VectorSource source(world.jobs);
    const Bounds bounds = lower_bounds(bounded(world), source, settings);
    const Terms home = run_router(world, "local");
    const bool has_utility = home.cost > 0 && home.carbon > 0;
    const double most = has_utility ? most_utility(world, weights, home, settings) : 0;
    for (const auto& [router, wait] : kRouters) {
      SCOPED_TRACE(testing::Message() << router << " in world " << seed);
      const Terms run = run_router(world, router, wait);
      ASSERT_LE(bounds.carbon->value(), run.carbon);
      ASSERT_LE(bounds.total_cost.value_or(Money(-1e30)).value(),
                run.cost + run.transfer + run.tardiness + kGeoCarbonPrice * run.carbon);
      if (!has_utility) continue;
      ASSERT_GE(most, run.utility(weights, home));
      BoundSettings no_longer = settings;
      no_longer.longest = run.makespan;
      ASSERT_GE(most_utility(world, weights, home, no_longer), run.utility(weights, home));
    }
  }
}

const Link kLink{.megabits_per_second = 8000, .per_gigabyte = Money(0.02)};

TEST(GeoBounds, send_a_job_where_that_costs_least_with_its_files) {
  World world =
      geo_world({{.prices = {0.5}, .grams = {100}}, {.prices = {0.1}, .grams = {300}}}, kLink);
  add_job(world, GeoJob{.files_gb = 2});
  VectorSource source(world.jobs);
  const Bounds bounds = lower_bounds(bounded(world), source);
  // Both GPUs are there for an hour at least, idle at 50 W; the job adds 350 W. Two gigabytes take
  // 0.12 kWh of the sender.
  const double idle = 0.05 * (0.5 + 0.1) + kGeoCarbonPrice * 0.05 * 400;
  const double sent = 2 * 0.02 + 0.12 * 0.5 + kGeoCarbonPrice * 12;
  EXPECT_NEAR(bounds.total_cost->value(), idle + 0.35 * (0.1 + kGeoCarbonPrice * 300) + sent, 1e-6);
  EXPECT_NEAR(bounds.carbon->value(), 0.05 * 400 + 0.35 * 100, 1e-6);
}

TEST(GeoBounds, know_that_only_one_job_in_time_can_have_the_cheap_gpu) {
  World world = geo_world({{.prices = {0.5}}, {.prices = {0.1}}}, kLink);
  for (int i = 0; i < 2; ++i) add_job(world, GeoJob{.deadline = 1});
  VectorSource source(world.jobs);
  const auto least = least_sum(bounded(world), source, {.money = 1, .late = 10});
  EXPECT_NEAR(*least, 0.4 * (0.5 + 0.1), 1e-6);
}

TEST(GeoBounds, count_jobs_that_must_be_late) {
  World world = geo_world({{.prices = {0}}}, kLink);
  for (int i = 0; i < 3; ++i) add_job(world, GeoJob{.deadline = 1});
  VectorSource source(world.jobs);
  EXPECT_NEAR(*least_sum(bounded(world), source, {.late = 1}), 2, 1e-6);
}

TEST(GeoBounds, take_off_what_the_gpus_can_be_used_at_most) {
  World world = geo_world({{.nodes = 2}}, kLink);
  add_job(world, GeoJob{.run = 2});
  VectorSource source(world.jobs);
  EXPECT_NEAR(*least_sum(bounded(world), source, {.use = 1}), -0.5, 1e-6);
}

}  // namespace
}  // namespace penstock
