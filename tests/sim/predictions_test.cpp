// Predicted costs of jobs to which anything may happen while they run, on nodes that fail.
#include <gtest/gtest.h>

#include "worlds/random_world.h"
#include "worlds/restless.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

/// Users know how much work their jobs are.
World world_with_known_work(std::uint64_t seed, const WorldLimits& limits) {
  World world = random_world(seed, limits);
  for (TracedJob& traced : world.jobs)
    if (traced.job.kind_id) traced.job.work = traced.work;
  return world;
}

RunLog run_with_beliefs(const World& world, const Models& believed) {
  Duration pause = Duration(2);
  for (const TracedJob& traced : world.jobs) pause = std::max(pause, traced.actual / 4);
  Restless policy(world.sim.seed, 60, pause);
  return run_logged(world, policy, believed);
}

/// The models of a world as somebody might believe them who takes every time and every draw to be
/// so many times what it is.
Models mistaken(const World& world, double times, double draws) {
  Models models = world.models;
  for (std::uint32_t kind = 0; kind < models.kinds(); ++kind)
    for (std::uint32_t type = 0; type < models.types(); ++type) {
      Profile profile = *models.find(KindId{kind}, GpuTypeId{type});
      SpeedModel& speed = profile.speed;
      for (double* part : {&speed.alpha_c, &speed.beta_c, &speed.alpha_r, &speed.beta_r,
                           &speed.alpha_n, &speed.beta_n})
        *part *= times;
      PowerModel& power = profile.power;
      for (Watts* part : {&power.p0, &power.p1, &power.p3, &power.p1_sync}) *part = *part * draws;
      models.set(KindId{kind}, GpuTypeId{type}, profile);
    }
  return models;
}

/// Every job of a kind is predicted to cost so many times what it paid, and no other at all.
void expect_times_paid(const World& world, const RunLog& log, double times) {
  ASSERT_EQ(log.ended.size(), world.jobs.size());
  for (const EndedJob& ended : log.ended) {
    ASSERT_EQ(ended.predicted.has_value(), world.jobs[ended.job.index].job.kind_id.has_value());
    if (!ended.predicted) continue;
    const double paid = (ended.bill.cost + ended.bill.rent).value();
    EXPECT_NEAR(ended.predicted->value(), times * paid, 1e-9 * std::abs(paid));
  }
}

constexpr std::uint64_t kPredictedWorlds = 200;

TEST(Predictions, are_exact_where_beliefs_are) {
  for (std::uint64_t seed = 0; seed < kPredictedWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world =
        world_with_known_work(seed, {.most_jobs = 15, .elastic = true, .tables = seed % 2 == 1});
    expect_times_paid(world, run_with_beliefs(world, world.models), 1);
  }
}

TEST(Predictions, follow_believed_times_where_no_time_is_lost_to_restarts) {
  for (std::uint64_t seed = 0; seed < kPredictedWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    World world =
        world_with_known_work(seed, {.most_jobs = 15, .elastic = true, .tables = seed % 2 == 1});
    world.costs.restart = world.costs.wake = Duration::zero();
    expect_times_paid(world, run_with_beliefs(world, mistaken(world, 0.8, 1)), 0.8);
  }
}

TEST(Predictions, follow_believed_draws_where_no_table_bills) {
  for (std::uint64_t seed = 0; seed < kPredictedWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world = world_with_known_work(seed, {.most_jobs = 15, .elastic = true});
    expect_times_paid(world, run_with_beliefs(world, mistaken(world, 1, 1.5)), 1.5);
  }
}

}  // namespace
}  // namespace penstock
