// The bills of whole runs of a few policies, added up again by the referee.
#include "worlds/referee.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "worlds/meddler.h"
#include "worlds/random_world.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

struct RefereeCase {
  const char* policy;
  Options options;
};

const std::vector<RefereeCase>& referee_cases() {
  static const std::vector<RefereeCase> all{
      {"fifo", {{"backfill", "none"}}},
      {"fifo", {{"backfill", "easy"}, {"place", "best-fit"}}},
      {"srtf", {{"backfill", "none"}}},
      {"las", {{"backfill", "easy"}, {"place", "consolidate"}, {"quantum", "10 s"}}},
      {"wfp3", {{"backfill", "conservative"}, {"place", "buddy"}}},
  };
  return all;
}

/// More are looked at by hand: PENSTOCK_WORLDS=10000.
std::uint64_t referee_worlds() {
  const char* wanted = std::getenv("PENSTOCK_WORLDS");
  return wanted == nullptr ? 60 : std::strtoull(wanted, nullptr, 10);
}

/// On as many worlds, every third of them with jobs that scale, every other one with tables.
template <class Look>
void for_each_run(std::uint64_t worlds, const Look& look) {
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    const World world = random_world(
        seed, {.elastic = seed % 3 == 0, .fronts = seed % 12 == 9, .tables = seed % 2 == 1});
    for (const RefereeCase& c : referee_cases()) {
      SCOPED_TRACE(testing::Message() << c.policy << " in world " << seed);
      const RunLog log = run_logged(world, c.policy, c.options);
      const Replay replay(world, log);
      ASSERT_TRUE(replay.faults().empty()) << replay.faults().front();
      look(world, log, Referee(world, replay));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Referee, finds_the_same_bill_for_every_job) {
  for_each_run(referee_worlds(), [](const World&, const RunLog& log, const Referee& referee) {
    for (const EndedJob& job : log.ended) expect_same(job.bill, referee.jobs[job.job.index], 1e-9);
  });
}

TEST(Referee, finds_the_same_bill_for_every_part_of_every_site) {
  for_each_run(referee_worlds(), [](const World&, const RunLog& log, const Referee& referee) {
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      const SiteBill& bill = log.result.sites[i].bill;
      const SiteTally& site = referee.sites[i];
      expect_same(bill.jobs, site.jobs, 1e-9);
      expect_same(bill.idle, site.idle, 1e-9);
      expect_same(bill.overhead, site.overhead, 1e-9);
      expect_same(bill.total(), site.total(), 1e-9);
    }
  });
}

TEST(Referee, finds_that_bills_of_jobs_add_up_to_those_of_sites) {
  for_each_run(referee_worlds(), [](const World&, const RunLog& log, const Referee& referee) {
    Bill by_job;
    for (const EndedJob& job : log.ended) by_job += job.bill;
    Bill by_site;
    Tally size;
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      by_site += log.result.sites[i].bill.jobs;
      size.add(referee.sites[i].jobs);
    }
    size.sum = {by_site.energy.value(), by_site.cost.value(), by_site.carbon.value(),
                by_site.rent.value()};
    expect_same(by_job, size, 1e-9);
  });
}

TEST(Referee, finds_the_same_bill_where_draws_were_measured) {
  for (std::uint64_t seed = 0; seed < referee_worlds(); ++seed) {
    const World world = random_world(
        seed, {.elastic = seed % 3 == 0, .fronts = seed % 12 == 9, .tables = seed % 2 == 1});
    SCOPED_TRACE(testing::Message() << "world " << seed);
    auto policy = core_policies().make(
        {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, "srtf", {});
    ASSERT_TRUE(policy);
    const RunLog log = run_meddled(world, **policy, {.seed = seed, .measures = 0.6});
    const Replay replay(world, log);
    ASSERT_TRUE(replay.faults().empty()) << replay.faults().front();
    const Referee referee(world, replay);
    for (const EndedJob& job : log.ended) expect_same(job.bill, referee.jobs[job.job.index], 1e-9);
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      expect_same(log.result.sites[i].bill.jobs, referee.sites[i].jobs, 1e-9);
      expect_same(log.result.sites[i].bill.total(), referee.sites[i].total(), 1e-9);
    }
    if (HasFailure()) return;
  }
}

TEST(Referee, finds_the_same_gpu_time) {
  for_each_run(referee_worlds(), [](const World&, const RunLog& log, const Referee& referee) {
    Duration gpu_time{};
    for (const SiteResult& site : log.result.sites) gpu_time += site.gpu_time;
    EXPECT_NEAR(seconds(gpu_time), referee.gpu_seconds, 1e-6);
  });
}

TEST(Referee, has_seen_worlds_with_sleep_failures_preemption_and_rent) {
  std::uint64_t sleeps = 0;
  std::uint64_t rents = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t preemptions = 0;
  for_each_run(referee_worlds(), [&](const World&, const RunLog& log, const Referee&) {
    sleeps += log.result.node_sleeps;
    interruptions += log.result.interruptions;
    preemptions += log.result.preemptions;
    for (const EndedJob& job : log.ended) rents += job.bill.rent > Money(0) ? 1 : 0;
  });
  EXPECT_GT(sleeps, 100u);
  EXPECT_GT(interruptions, 20u);
  EXPECT_GT(preemptions, 100u);
  EXPECT_GT(rents, 100u);
}

}  // namespace
}  // namespace penstock
