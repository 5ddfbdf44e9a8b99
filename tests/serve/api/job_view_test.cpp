#include "serve/api/job_view.h"

#include <gtest/gtest.h>

#include "live/site_transcript.h"
#include "serve/api/pooled_job.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// A job of eight GPUs that waits for us, of whom a job of three leaves five; n1 is down.
class JobSightTest : public testing::Test {
 protected:
  JobSightTest() : state(transcript.world.cluster, {}, kNoon) {
    transcript.held({.gpus = 8});
    transcript.pass(1);
    state.admit({.id = transcript.id("1"), .gpus = 8, .name = "here/1"});
    state.apply(JobSubmitted{transcript.id("1")}, kNoon);
    state.admit({.id = JobId{9}, .gpus = 3, .name = "here/9"});
    state.apply(JobSubmitted{{9}}, kNoon);
    state.apply(Start{JobId{9}, {{GpuId{0}, 3}}, {}}, kNoon);
  }
  std::string why(Time now = kNoon) {
    return job_json(*transcript.site().find("1"), transcript.site(),
                    SchedulerSnapshot(now, &state, &waits))["why"];
  }
  void state_reason(const std::string& text) {
    waits.update(kNoon, {.because = {{transcript.id("1"), text}}}, state);
  }

  SiteTranscript transcript;
  State state;
  WaitReasons waits;
};

TEST_F(JobSightTest, counts_gpus_if_the_policy_says_nothing) {
  EXPECT_EQ(why(), "waits for its turn: asks for 8 GPUs, 5 free");
  state.apply(NodeFailed{NodeId{1}}, kNoon);
  EXPECT_EQ(why(), "waits for its turn: asks for 8 GPUs, 1 free");
}

TEST_F(JobSightTest, shows_what_the_policy_said_and_when_if_that_was_long_ago) {
  state_reason("waits: 8 GPUs asked, 5 free; behind job #9");
  EXPECT_EQ(why(kNoon + 60s), "waits: 8 GPUs asked, 5 free; behind job here/9");
  EXPECT_EQ(why(kNoon + 61s), "waits: 8 GPUs asked, 5 free; behind job here/9 (at 12:00Z)");
}

TEST_F(JobSightTest, says_nothing_of_who_runs) {
  state_reason("waits");
  state.apply(Start{transcript.id("1"), {{GpuId{3}, 1}, {GpuId{4}, 4}}, {}}, kNoon);
  EXPECT_EQ(why(), "");
}

TEST_F(JobSightTest, prefers_what_the_site_knows_for_sure) {
  state_reason("waits");
  transcript.site().hand_over(transcript.id("1"), "it has no shape", kNoon);
  EXPECT_EQ(why(), "it is left to Slurm");
}

TEST_F(JobSightTest, tells_why_a_job_of_the_pool_waits) {
  const SchedulerSnapshot snapshot(kNoon, &state, &waits);
  EXPECT_EQ(pool_wait_reason({.number = 1, .id = transcript.id("1")}, snapshot),
            "it waits for a site");
  state_reason("waits until 14:00Z");
  EXPECT_EQ(pool_wait_reason({.number = 1, .id = transcript.id("1")}, snapshot),
            "waits until 14:00Z");
}

}  // namespace
}  // namespace penstock
