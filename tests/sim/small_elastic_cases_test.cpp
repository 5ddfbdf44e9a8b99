// Jobs that change while they run, in worlds small enough to be checked in one's head.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "worlds/elastic_site.h"
#include "worlds/promises.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/script.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A restart takes 30 s, waking a node 90 s.
class SmallElastic : public testing::Test {
 protected:
  SmallElastic() {
    world.costs.restart = 30s;
    world.costs.wake = 90s;
  }
  /// One GPU, a batch of 1: `work` is also the seconds it takes as asked.
  void submit(double work, double declared) {
    add_job(world, {.gpus = 1, .requested = declared, .actual = work});
    world.jobs.back().job.kind_id = KindId{0};
    world.jobs.back().job.batch = 1;
    world.jobs.back().job.work = Work(declared);
    world.jobs.back().work = Work(work);
  }
  void submit(double work) { submit(work, work); }
  Time at(Duration t) const { return world.start() + t; }
  RunLog log_of(const std::vector<std::pair<Duration, Action>>& told) const {
    std::vector<Script::Line> lines;
    lines.reserve(told.size());
    for (const auto& [when, action] : told) lines.emplace_back(at(when), action);
    Script script(lines);
    return run_logged(world, script);
  }
  EndedJob run(const std::vector<std::pair<Duration, Action>>& told) const {
    const RunLog log = log_of(told);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    if (log.ended.size() != 1) return {};
    expect_recorded(world, replay, log.ended[0]);
    return log.ended[0];
  }

  World world = elastic_site();
  JobId job{0};
  Placement first{{GpuId{0}, 1}};
  Placement node{{GpuId{0}, 2}};
  Action start = Start{job, first};
};

TEST_F(SmallElastic, a_job_that_is_left_alone_runs_as_it_asked) {
  submit(200);
  const EndedJob ended = run({{0s, start}});
  EXPECT_EQ(ended.finish, at(200s));
  EXPECT_EQ(ended.bill.energy, Joules(200 * 200));
  EXPECT_EQ(ended.clock_mean_mhz, 1000);
}

TEST_F(SmallElastic, a_resized_job_does_what_was_left_after_its_restart) {
  submit(200);
  const EndedJob ended = run({{0s, start}, {100s, Resize{job, node, {.batch = 2}}}});
  EXPECT_EQ(ended.finish, at(180s));  // 100 done, 30 s restart, 100 left at 2 a second
  EXPECT_EQ(ended.bill.energy, Joules(100 * 200 + 80 * 400));
  EXPECT_EQ(ended.resizes, 1u);
  EXPECT_DOUBLE_EQ(ended.gpus_mean, (100 + 2 * 80) / 180.0);
}

TEST_F(SmallElastic, a_second_resize_during_the_restart_begins_it_anew) {
  submit(200);
  const EndedJob ended = run({{0s, start},
                              {100s, Resize{job, node, {.batch = 2}}},
                              {120s, Resize{job, {{GpuId{2}, 2}}, {.batch = 4}}}});
  EXPECT_EQ(ended.finish, at(175s));  // restarts until 150, then 100 left at 4 a second
  EXPECT_EQ(ended.bill.energy, Joules(100 * 200 + 75 * 400));
}

TEST_F(SmallElastic, a_job_at_half_its_clock_halves_its_speed_and_draw_at_once) {
  submit(200);
  const EndedJob ended = run({{0s, start}, {100s, SetClock{job, 500}}});
  EXPECT_EQ(ended.finish, at(300s));
  EXPECT_EQ(ended.bill.energy, Joules(100 * 200 + 200 * 100));
  EXPECT_EQ(ended.held, Duration(300s));
  EXPECT_DOUBLE_EQ(ended.clock_mean_mhz, (100 * 1000 + 200 * 500) / 300.0);
}

TEST_F(SmallElastic, a_doubled_batch_doubles_the_speed_of_this_job_at_once) {
  submit(200);
  const EndedJob ended = run({{0s, start}, {100s, SetBatch{job, 2}}});
  EXPECT_EQ(ended.finish, at(150s));
  EXPECT_EQ(ended.bill.energy, Joules(150 * 200));
}

TEST_F(SmallElastic, a_migrating_job_wakes_its_node_restarts_and_keeps_clock_and_batch) {
  submit(200);
  const EndedJob ended = run({{0s, Sleep{NodeId{1}}},
                              {0s, Start{job, first, {.clock_mhz = 500, .batch = 2}}},
                              {100s, Migrate{job, {{GpuId{3}, 1}}}}});
  EXPECT_EQ(ended.finish, at(320s));  // 100 done; 90 s and 30 s later 100 left at 1 a second
  EXPECT_EQ(ended.bill.energy, Joules(320 * 100));
  EXPECT_EQ(ended.migrations, 1u);
}

TEST_F(SmallElastic, a_clock_changed_during_the_restart_does_not_delay_it) {
  submit(200);
  const EndedJob ended =
      run({{0s, start}, {100s, Migrate{job, {{GpuId{3}, 1}}}}, {110s, SetClock{job, 500}}});
  EXPECT_EQ(ended.finish, at(330s));  // works from 130 at half a unit a second
  EXPECT_EQ(ended.bill.energy, Joules(110 * 200 + 220 * 100));
}

TEST_F(SmallElastic, a_job_that_declared_less_work_than_it_has_is_killed_after_it) {
  submit(200, 150);
  const EndedJob ended = run({{0s, start}, {100s, SetBatch{job, 2}}});
  EXPECT_EQ(ended.finish, at(125s));
  EXPECT_EQ(ended.outcome, Outcome::killed);
  EXPECT_EQ(ended.bill.energy, Joules(125 * 200));
}

TEST_F(SmallElastic, a_preempted_job_may_start_again_with_other_gpus) {
  submit(200);
  const EndedJob ended =
      run({{0s, start}, {100s, Preempt{job}}, {150s, Start{job, node, {.batch = 4}}}});
  EXPECT_EQ(ended.finish, at(205s));  // restarts until 180, then 100 left at 4 a second
  EXPECT_EQ(ended.bill.energy, Joules(100 * 200 + 55 * 400));
  EXPECT_EQ(ended.held, Duration(155s));
}

TEST_F(SmallElastic, work_that_ends_within_a_millisecond_ends_with_it) {
  submit(0.0015);
  EXPECT_EQ(run({{0s, start}}).finish, at(2ms));
}

/// When the job first lost its node, after the start of the run, and what it kept.
std::pair<Duration, Work> first_loss(const World& world, const RunLog& log) {
  for (const Turn& turn : log.turns)
    for (const Event& event : turn.events)
      if (const auto* e = std::get_if<JobInterrupted>(&event))
        return {turn.now - world.start(), e->kept};
  return {};
}

TEST_F(SmallElastic, a_lost_job_keeps_what_its_last_checkpoint_saved_whenever_it_was_clocked) {
  submit(1e6);
  world.sim.failures = {.mtbf = 1000s, .mttr = 10s, .checkpoint = 10s};
  const Duration lost = first_loss(world, log_of({{0s, start}})).first;
  const Duration saved = lost / Duration(10s) * Duration(10s);
  ASSERT_GT(saved, Duration(10s));
  const auto kept_if_slowed_at = [&](Duration when) {
    return first_loss(world, log_of({{0s, start}, {when, SetClock{job, 500}}})).second.value();
  };
  EXPECT_NEAR(kept_if_slowed_at(saved + Duration(1)), seconds(saved), 1e-6);
  EXPECT_NEAR(kept_if_slowed_at(saved - Duration(4s)), seconds(saved) - 2, 1e-6);
}

}  // namespace
}  // namespace penstock
