// No policy beats the lower bounds of its world.
#include "solve/bounds.h"

#include <gtest/gtest.h>

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
  World world = random_world(seed, {.failures = seed % 5 == 0, .elastic = seed % 2 == 0});
  Rng rng(seed);
  for (TracedJob& traced : world.jobs)
    traced.job.tardiness_weight = MoneyRate(0.01 * rng.uniform());
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
    run.money += bill.cost.value() + bill.carbon.value() * kCarbonPrice;
  }
  return run;
}

TEST(Bounds, are_kept_by_every_policy_in_every_world) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const World world = weighted_world(seed);
    // Windows as long as the things that happen in these worlds, and hours.
    const Bounds fine = bounds_of(world, {.window = Duration(1 + seed * 997), .most_windows = 30});
    const Bounds plain = bounds_of(world);
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << c.policy << " in world " << seed);
      const RunLog log = run_logged(world, c.policy, c.options);
      ASSERT_EQ(log.ended.size(), world.jobs.size());
      const Figures run = figures_of(world, log);
      for (const Bounds& bounds : {fine, plain}) {
        ASSERT_LE(seconds(*bounds.jct_mean), run.jct);
        ASSERT_LE(seconds(*bounds.makespan), run.makespan);
        ASSERT_LE(bounds.energy->value(), run.joules);
        ASSERT_LE(bounds.total_cost.value_or(Money(-1e30)).value(), run.money);
      }
    }
  }
}

}  // namespace
}  // namespace penstock
