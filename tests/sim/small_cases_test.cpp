// Small worlds in which something once went wrong.
#include <gtest/gtest.h>

#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

Time first_start(const RunLog& log, std::uint32_t job) {
  for (const EndedJob& ended : log.ended)
    if (ended.job.index == job) return ended.first_start;
  return Time::max();
}

TEST(Easy, counts_the_waking_of_a_node_before_it_lets_a_job_pass) {
  World world = one_site(2, 4);
  world.costs.sleep_after = 1min;
  world.costs.wake = 90s;
  add_job(world, {.submitted = 0, .gpus = 4, .requested = 1000, .actual = 1000});
  add_job(world, {.submitted = 100, .gpus = 8, .requested = 100, .actual = 100});  // promised 1000
  // On the sleeping node it would end at 200 + 90 + 800.
  add_job(world, {.submitted = 200, .gpus = 4, .requested = 800, .actual = 800});
  const RunLog log = run_logged(world, "fifo", {{"backfill", "easy"}});
  EXPECT_EQ(first_start(log, 1), world.start() + 1000s);
  EXPECT_EQ(first_start(log, 2), world.start() + 1190s);  // the second wakes a node, too
}

TEST(Srtf, stops_nobody_who_is_not_in_the_way) {
  World world = one_site(1, 5);
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 2000, .actual = 2000});
  add_job(world, {.submitted = 1, .gpus = 4, .requested = 1000, .actual = 1000});
  add_job(world, {.submitted = 10, .gpus = 4, .requested = 500, .actual = 500});
  const RunLog log = run_logged(world, "srtf", {});
  EXPECT_EQ(log.result.preemptions, 1u);
  ASSERT_EQ(log.ended.size(), 3u);
  EXPECT_EQ(log.ended[2].job.index, 0u);
  EXPECT_EQ(log.ended[2].finish, world.start() + 2000s);
}

TEST(Srtf, lets_a_stopped_job_run_elsewhere_at_once) {
  World world = one_site(2, 4);
  add_job(world, {.submitted = 0, .gpus = 3, .requested = 1000, .actual = 1000});
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 900, .actual = 900});
  // Three of the eight GPUs are free; it stops the longer job, whose three then suffice
  // for nobody else but leave room for the stopped one nowhere before the next event.
  add_job(world, {.submitted = 10, .gpus = 4, .requested = 100, .actual = 100});
  const RunLog log = run_logged(world, "srtf", {});
  EXPECT_EQ(log.result.preemptions, 1u);
  EXPECT_EQ(log.ended.back().finish, world.start() + 1100s);  // stopped from 10 to 110
}

}  // namespace
}  // namespace penstock
