// Jobs that are resized, moved, clocked, batched and stopped at random, on nodes that
// sleep and fail: whatever is done to a job, it does its work and pays for what it draws.
#include <gtest/gtest.h>

#include "policies/wrappers.h"
#include "worlds/promises.h"
#include "worlds/random_world.h"
#include "worlds/referee.h"
#include "worlds/replay.h"
#include "worlds/restless.h"
#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {
namespace {

constexpr std::uint64_t kWorlds = 300;

World elastic_world(std::uint64_t seed) {
  World world = random_world(
      seed, {.most_jobs = 15, .elastic = true, .fronts = seed % 4 == 2, .tables = seed % 2 == 1});
  if (world.sim.failures) world.sim.failures->mtbf /= 6;
  return world;
}

struct RestlessRun {
  RunLog log{};
  std::vector<Restless::Meter> meters{};
};

RestlessRun run_restless_policy(const World& world) {
  Duration pause = Duration(2);
  for (const TracedJob& traced : world.jobs) pause = std::max(pause, traced.actual / 4);
  auto restless = std::make_unique<Restless>(world.sim.seed, 60, pause);
  const Restless& seen = *restless;
  std::unique_ptr<Policy> policy = std::move(restless);
  if (world.costs.sleep_after)
    policy =
        make_sleep_idle({.cluster = world.cluster, .costs = world.costs, .start = world.start()},
                        *world.costs.sleep_after, std::move(policy));
  RunLog log = run_logged(world, *policy);
  return {std::move(log), seen.meters()};
}

template <class Look>
void for_each_elastic_run(const Look& look) {
  for (std::uint64_t seed = 0; seed < kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world = elastic_world(seed);
    const RestlessRun run = run_restless_policy(world);
    const Replay replay(world, run.log);
    ASSERT_TRUE(replay.faults().empty()) << replay.faults().front();
    look(world, run, replay);
  }
}

TEST(Elastic, every_job_does_its_work_whatever_is_done_to_it) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay& replay) {
    EXPECT_EQ(run.log.ended.size(), world.jobs.size());
    for (const TracedJob& traced : world.jobs) expect_work_done(world, replay, traced.job.id);
  });
}

TEST(Elastic, every_job_is_recorded_as_it_went) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay& replay) {
    for (const EndedJob& job : run.log.ended) expect_recorded(world, replay, job);
  });
}

TEST(Elastic, every_bill_is_what_the_referee_finds) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay& replay) {
    const Referee referee(world, replay);
    for (const EndedJob& job : run.log.ended)
      expect_same(job.bill, referee.jobs[job.job.index], 1e-9);
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      const SiteBill& bill = run.log.result.sites[i].bill;
      expect_same(bill.jobs, referee.sites[i].jobs, 1e-9);
      expect_same(bill.idle, referee.sites[i].idle, 1e-9);
      expect_same(bill.overhead, referee.sites[i].overhead, 1e-9);
      expect_same(bill.total(), referee.sites[i].total(), 1e-9);
    }
  });
}

TEST(Elastic, policies_are_shown_a_true_meter) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay& replay) {
    const Referee referee(world, replay);
    for (const Restless::Meter& meter : run.meters)
      expect_same(meter.bill, referee.until.at(meter.now), 1e-9);
  });
}

TEST(Elastic, bills_of_jobs_add_up_to_those_of_sites) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay& replay) {
    const Referee referee(world, replay);
    Bill by_job;
    for (const EndedJob& job : run.log.ended) by_job += job.bill;
    Tally by_site;
    for (const SiteTally& site : referee.sites) by_site.add(site.jobs);
    expect_same(by_job, by_site, 1e-9);
    Duration gpu_time{};
    for (const SiteResult& site : run.log.result.sites) gpu_time += site.gpu_time;
    EXPECT_NEAR(seconds(gpu_time), referee.gpu_seconds, 1e-9 * referee.gpu_seconds);
  });
}

TEST(Elastic, the_same_seed_gives_the_same_run) {
  for_each_elastic_run([](const World& world, const RestlessRun& run, const Replay&) {
    const RestlessRun again = run_restless_policy(world);
    EXPECT_EQ(text_of(run.log.turns, world.start()), text_of(again.log.turns, world.start()));
    ASSERT_EQ(run.meters.size(), again.meters.size());
    for (std::size_t i = 0; i < run.meters.size(); ++i)
      EXPECT_EQ(run.meters[i].bill, again.meters[i].bill);
  });
}

TEST(Elastic, has_seen_everything_that_can_be_done) {
  RunResult sum;
  std::uint64_t driven = 0;
  std::uint64_t lost_after_driving = 0;
  for_each_elastic_run([&](const World&, const RestlessRun& run, const Replay& replay) {
    sum.resizes += run.log.result.resizes;
    sum.migrations += run.log.result.migrations;
    sum.preemptions += run.log.result.preemptions;
    sum.interruptions += run.log.result.interruptions;
    sum.node_sleeps += run.log.result.node_sleeps;
    for (const RunSegment& stay : replay.stays()) {
      driven += stay.end == RunSegment::End::driven;
      lost_after_driving +=
          stay.end == RunSegment::End::interrupted && stay.work_begins > stay.run_begins;
    }
  });
  EXPECT_GT(sum.resizes, 1000u);
  EXPECT_GT(sum.migrations, 300u);
  EXPECT_GT(sum.preemptions, 300u);
  EXPECT_GT(sum.interruptions, 100u);
  EXPECT_GT(sum.node_sleeps, 300u);
  EXPECT_GT(driven, 1000u);
  EXPECT_GT(lost_after_driving, 5u);
}

}  // namespace
}  // namespace penstock
