// Joint planning in the loop, in worlds small enough to be checked in one's head.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Nodes of four TESLA GPUs, 530 to 1040 W by used GPUs, nothing when unused; a kWh costs 1. A
/// training takes 1 s an epoch on one GPU, 0.75 s on two. A restart takes 30 s.
class SmallAndreas : public testing::Test {
 protected:
  explicit SmallAndreas(std::uint32_t nodes = 2) {
    world.cluster.types = {{.name = "tesla", .peak = Watts(170)}};
    const NodeTables tables{.power = {Watts(0), Watts(530), Watts(700), Watts(870), Watts(1040)},
                            .rent = {}};
    add_site(world.cluster, "here", {{.count = nodes, .gpus = 4, .tables = tables}});
    world.signals.resize(1);
    world.signals[0].price = Signal<Price>::constant(Price(1));
    world.forecasts.resize(1);
    world.costs.restart = 30s;
    world.models = Models(1);
    world.models.set(world.models.add_kind(), {},
                     table_profile("net", "tesla", {{1, 1.0}, {2, 0.75}}));
  }
  void submit(double when, double epochs, double deadline, double weight) {
    add_job(world, {.submitted = when, .gpus = 1, .requested = epochs, .actual = epochs});
    TracedJob& traced = world.jobs.back();
    traced.job.kind_id = KindId{0};
    traced.job.batch = 1;
    traced.job.work = traced.work = Work(epochs);
    traced.job.deadline = at(deadline);
    traced.job.tardiness_weight = MoneyRate(weight);
  }
  Time at(double seconds) const { return world.start() + round_duration(seconds); }
  /// What every run must keep is checked on the way.
  std::vector<EndedJob> run(const Options& options) {
    log = run_logged(world, "andreas", options);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    std::vector<EndedJob> ended = log.ended;
    std::ranges::sort(ended, {}, &EndedJob::job);
    return ended;
  }
  NodeId node_of(const EndedJob& job) const {
    return world.cluster.node_of[job.where.front().first.index];
  }

  World world;
  RunLog log;
};

TEST_F(SmallAndreas, jobs_with_time_to_spare_share_one_node_with_a_gpu_each) {
  for (int i = 0; i < 4; ++i) submit(0, 3600, 1e6, 1e-3);
  const auto ended = run({});
  ASSERT_EQ(ended.size(), 4u);
  for (const EndedJob& job : ended) {
    EXPECT_EQ(node_of(job), node_of(ended[0]));
    EXPECT_EQ(job.finish, at(3600));
    EXPECT_NEAR(job.bill.cost.value(), 1.04 / 4, 1e-9);  // a quarter of 1040 W for an hour
  }
}

TEST_F(SmallAndreas, a_job_that_one_gpu_would_make_late_gets_two) {
  submit(0, 3600, 2705, 1e-3);
  const auto ended = run({});
  EXPECT_EQ(ended[0].finish, at(2700));
  EXPECT_EQ(ended[0].gpus_mean, 2);
}

TEST_F(SmallAndreas, a_job_that_one_gpu_makes_late_gets_no_other_by_the_list_rule) {
  submit(0, 3600, 2705, 1e-3);
  const auto ended = run({{"method", "atc"}});
  EXPECT_EQ(ended[0].finish, at(3600));
  EXPECT_EQ(ended[0].gpus_mean, 1);
}

TEST_F(SmallAndreas, jobs_have_a_node_each_where_asked) {
  for (int i = 0; i < 3; ++i) submit(0, 3600, 1e6, 1e-3);
  for (const char* method : {"fifo", "edf", "priority"}) {
    const auto ended = run({{"method", method}, {"unique", "yes"}});
    ASSERT_EQ(ended.size(), 3u);
    // Two GPUs are cheapest for a job alone: 700 W for 2700 s, not 530 W for 3600 s.
    EXPECT_NE(node_of(ended[0]), node_of(ended[1])) << method;
    for (const EndedJob& job : ended) EXPECT_NEAR(job.bill.cost.value(), 0.7 * 0.75, 1e-9);
    EXPECT_EQ(ended[1].finish, at(2700)) << method;
    EXPECT_EQ(ended[2].finish, at(5400)) << method;
  }
}

TEST_F(SmallAndreas, a_job_that_began_in_a_hurry_ends_at_leisure_and_just_in_time) {
  for (int i = 0; i < 3; ++i) submit(0, 7200, 1e6, 1e-3);  // they keep the node going
  submit(0, 3600, 3200, 1e-2);
  const auto ended = run({});
  const EndedJob& hurried = ended[3];
  // On two GPUs for 1290 s, 1720 epochs; a restart of 30 s and 1880 epochs on one GPU.
  EXPECT_EQ(hurried.finish, at(3200));
  EXPECT_EQ(hurried.resizes, 1u);
}

class OneSmallGpu : public SmallAndreas {
 protected:
  OneSmallGpu() : SmallAndreas(0) {
    add_site(world.cluster, "small",
             {{.count = 1, .gpus = 1, .tables = {.power = {Watts(0), Watts(530)}, .rent = {}}}});
    world.signals.push_back(world.signals[0]);
    world.forecasts.resize(2);
    submit(0, 10'000, 1e6, 1e-3);
    submit(1000, 500, 1600, 1e-1);
  }
};

TEST_F(OneSmallGpu, a_job_in_a_hurry_stops_one_that_has_time_and_that_one_pays_a_restart) {
  const auto ended = run({});
  EXPECT_EQ(ended[1].finish, at(1500));
  EXPECT_EQ(ended[0].finish, at(10'000 + 500 + 30));
  EXPECT_EQ(ended[0].preemptions, 1u);
}

TEST_F(OneSmallGpu, the_list_rule_stops_one_that_has_time) {
  const auto ended = run({{"method", "atc"}});
  EXPECT_EQ(ended[1].finish, at(1500));
  EXPECT_EQ(ended[0].finish, at(10'000 + 500 + 30));
}

TEST_F(OneSmallGpu, first_principles_never_touch_a_running_job) {
  for (const char* method : {"fifo", "edf", "priority"}) {
    const auto ended = run({{"method", method}});
    EXPECT_EQ(ended[0].finish, at(10'000)) << method;
    EXPECT_EQ(ended[1].finish, at(10'500)) << method;
  }
}

/// A kWh costs 1, but 0.1 from the second hour to the third, and 2 from the fourth on.
class CheapHours : public SmallAndreas {
 protected:
  CheapHours() {
    world.signals[0].price = Signal<Price>({{world.start(), Price(1)},
                                            {world.start() + 1h, Price(0.1)},
                                            {world.start() + 3h, Price(1)},
                                            {world.start() + 4h, Price(2)}});
  }
};

TEST_F(CheapHours, a_job_with_time_to_spare_waits_for_them) {
  submit(0, 3600, 4 * 3600, 1e-2);
  const auto ended = run({});
  EXPECT_EQ(ended[0].first_start, at(3600));
  EXPECT_EQ(ended[0].finish, at(7200));
  EXPECT_NEAR(ended[0].bill.cost.value(), 0.53 * 0.1, 1e-9);
  EXPECT_EQ(run({{"wait", "never"}})[0].first_start, at(0));
  EXPECT_EQ(run({{"method", "edf"}})[0].first_start, at(0)) << "first principles wait for nobody";
}

TEST_F(CheapHours, a_job_that_would_be_late_does_not_wait) {
  submit(0, 3600, 3600 + 1800, 1e-2);
  EXPECT_EQ(run({})[0].first_start, at(0));
}

TEST_F(CheapHours, a_long_job_pauses_before_dear_hours_if_it_is_in_time_all_the_same) {
  world.signals[0].price = Signal<Price>({{world.start(), Price(0.1)},
                                          {world.start() + 1h, Price(1)},
                                          {world.start() + 3h, Price(0.1)}});
  submit(0, 7200, 6 * 3600, 1e-2);
  const auto ended = run({});
  EXPECT_EQ(ended[0].first_start, at(0));
  EXPECT_EQ(ended[0].preemptions, 1u);
  EXPECT_EQ(ended[0].finish, at(4 * 3600 + 30)) << "an hour, two of pause, a restart and an hour";
}

TEST_F(CheapHours, a_job_that_cannot_be_stopped_is_not) {
  world.signals[0].price = Signal<Price>({{world.start(), Price(0.1)},
                                          {world.start() + 1h, Price(1)},
                                          {world.start() + 3h, Price(0.1)}});
  submit(0, 7200, 7 * 3600, 1e-2);
  world.jobs[0].job.pinned = true;
  const auto ended = run({});
  EXPECT_EQ(ended[0].first_start, at(3 * 3600)) << "two cheap hours in a row";
  EXPECT_EQ(ended[0].preemptions, 0u);
}

TEST_F(CheapHours, a_job_pauses_when_free_power_ends) {
  world.signals[0].price = Signal<Price>({{world.start(), Price(0)},
                                          {world.start() + 1h, Price(1)},
                                          {world.start() + 3h, Price(0.1)}});
  submit(0, 7200, 6 * 3600, 1e-2);
  const auto ended = run({});
  EXPECT_EQ(ended[0].preemptions, 1u);
  // For nothing it takes two GPUs, on which 4800 of the 7200 epochs are done in the hour.
  EXPECT_NEAR(ended[0].bill.cost.value(), 0.53 * 0.1 * (2400 + 30) / 3600, 1e-9);
}

TEST_F(CheapHours, a_second_site_with_free_power_keeps_nobody_from_waiting) {
  world.cluster.types.push_back({.name = "other", .peak = Watts(170)});
  submit(0, 3600, 4 * 3600, 1e-2);
  world.jobs[0].job.gpu_types = 1;
  add_site(world.cluster, "there", {{.count = 1, .gpus = 4, .type = GpuTypeId{1}}});
  world.signals.push_back(world.signals[0]);
  world.signals[1].price = Signal<Price>::constant(Price(0));
  world.forecasts.resize(2);
  EXPECT_EQ(run({})[0].first_start, at(3600));
}

TEST_F(CheapHours, a_job_leaves_time_for_what_comes_before_work) {
  world.costs.start = 2h;
  submit(0, 3600, 3.5 * 3600, 1e-2);
  EXPECT_EQ(run({})[0].first_start, at(0));
  world.costs.start = 1h;
  const auto ended = run({});
  EXPECT_EQ(ended[0].first_start, at(3600));
  EXPECT_LE(ended[0].finish, at(3.5 * 3600));
}

TEST_F(CheapHours, who_is_held_does_not_fill_the_window) {
  for (int i = 0; i < 3; ++i) submit(0, 3600, 6 * 3600, 1e-2);
  submit(10, 600, 1000, 1e-2);
  EXPECT_LE(run({{"window", "1"}})[3].finish, at(610));
}

TEST_F(CheapHours, a_job_without_a_deadline_does_not_wait) {
  submit(0, 3600, 0, 1e-2);
  world.jobs[0].job.deadline.reset();
  EXPECT_EQ(run({})[0].first_start, at(0));
}

TEST_F(SmallAndreas, a_job_of_two_nodes_waits_no_longer_than_it_asked_to_run) {
  submit(0, 10'000, 1e6, 1e-3);
  submit(0, 10'000, 1e6, 1e-3);
  add_job(world, {.submitted = 10, .gpus = 8, .requested = 600, .actual = 500});
  const auto ended = run({});
  ASSERT_EQ(ended.size(), 3u);
  // The small jobs share a node and are cleared away at the first event after 610 s: an arrival.
  EXPECT_EQ(ended[2].finish, at(10'000) + 500s);
  submit(700, 100, 1e6, 1e-3);
  EXPECT_EQ(run({})[2].finish, at(700) + 500s);
}

TEST_F(SmallAndreas, first_principles_drain_nodes_for_a_job_of_several) {
  submit(0, 1000, 1e6, 1e-3);
  add_job(world, {.submitted = 10, .gpus = 8, .requested = 100, .actual = 100});
  submit(200, 5000, 1e6, 1e-3);
  const auto ended = run({{"method", "fifo"}});
  // Two GPUs are cheapest for the first, 700 W · 0.75; nobody starts on the other's nodes at 200 s.
  EXPECT_EQ(ended[0].finish, at(750));
  EXPECT_EQ(ended[1].first_start, at(750));
  EXPECT_EQ(ended[2].first_start, at(850));
}

TEST_F(SmallAndreas, the_cheaper_of_two_sites_is_used) {
  add_site(world.cluster, "there",
           {{.count = 1, .gpus = 4, .tables = world.cluster.node_tables[0]}});
  world.signals.push_back(world.signals[0]);
  world.signals[1].price = Signal<Price>::constant(Price(0.5));
  world.forecasts.resize(2);
  submit(0, 3600, 1e6, 1e-3);
  EXPECT_EQ(run({})[0].site, SiteId{1});
}

}  // namespace
}  // namespace penstock
