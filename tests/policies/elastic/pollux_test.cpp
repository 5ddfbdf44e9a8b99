#include "policies/elastic/pollux.h"

#include <gtest/gtest.h>

#include <cmath>

#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ReallocationFactor, is_what_is_left_if_a_job_is_changed_as_often_as_until_now) {
  JobState state{.starts = 1};
  state.job.submitted = Time(0s);
  const AllocationJob job{.state = &state, .restart = 30s};
  EXPECT_DOUBLE_EQ(reallocation_factor(job, Time(60s)), 60. / 90);
  state.resizes = 1;
  EXPECT_DOUBLE_EQ(reallocation_factor(job, Time(60s)), 30. / 90);
  state.migrations = 1;
  EXPECT_DOUBLE_EQ(reallocation_factor(job, Time(60s)), 0);
  state.starts = 2;  // it was stopped and has started again
  EXPECT_DOUBLE_EQ(reallocation_factor(job, Time(60s)), 0);
  EXPECT_DOUBLE_EQ(reallocation_factor(job, Time(270s)), 180. / 300);
}

TEST(ReallocationFactor, leaves_a_job_that_has_not_started_alone) {
  JobState state{};
  state.job.submitted = Time(0s);
  EXPECT_EQ(reallocation_factor({.state = &state, .restart = 30s}, Time(0s)), 1);
}

TEST(Fitness, orders_as_the_power_mean_does) {
  EXPECT_NEAR(fitness_of(0.5, -1), -2, 0.01);
  EXPECT_NEAR(fitness_of(2, 1), 2, 0.01);
  EXPECT_NEAR(fitness_of(2, 0), std::log(2), 0.01);
  for (const double fairness : {-10., -3., -1., -0.1, 0., 0.5, 1.})
    for (const double speedup : {0., 0.01, 0.1, 1., 10.}) {
      EXPECT_LT(fitness_of(speedup, fairness), fitness_of(speedup + 0.01, fairness)) << fairness;
      EXPECT_TRUE(std::isfinite(fitness_of(speedup, fairness))) << fairness;
    }
}

/// One node of four GPUs. An iteration over a batch of 4 takes as many seconds as the samples of
/// each GPU: speed grows with GPUs without loss. A restart takes 30 s.
class PolluxPolicy : public testing::Test {
 protected:
  PolluxPolicy() {
    world.costs.restart = 30s;
    world.models = Models(1);
    world.models.set(world.models.add_kind(), {}, profile);
  }
  void submit(double when, std::uint32_t gpus, double gpu_seconds) {
    const double time = gpu_seconds / gpus;
    add_job(world, {.submitted = when, .gpus = gpus, .requested = time, .actual = time});
    world.jobs.back().job.kind_id = KindId{0};
    world.jobs.back().job.batch = 4;
    world.jobs.back().job.work = world.jobs.back().work = Work(gpu_seconds);
  }
  std::vector<RunSegment> stays(std::uint32_t job, const Options& options = {}) {
    const RunLog log = run_logged(world, "pollux", options);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    return replay.stays_of(JobId{job});
  }
  static std::uint32_t gpus(const RunSegment& stay) { return gpu_count(stay.where); }
  Duration when(Time t) const { return t - world.start(); }

  World world = one_site(1, 4);
  Profile profile{
      .speed = {.beta_c = 1}, .batch = {.least = 4, .most = 4, .local_most = 4}, .gpus_most = 4};
};

TEST_F(PolluxPolicy, explores_by_doubling) {
  submit(0, 1, 4000);
  const auto all = stays(0);
  // After 60 s: two GPUs are worth 60 / 90 of 0.5, one 0.25. After 120 s: four are worth
  // (120 - 30) / 150 of 1, two 0.5.
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(gpus(all[0]), 1u);
  EXPECT_EQ(gpus(all[1]), 2u);
  EXPECT_EQ(when(all[1].from), Duration(60s));
  EXPECT_EQ(gpus(all[2]), 4u);
  EXPECT_EQ(when(all[2].from), Duration(120s));
  // 60 GPU-seconds on one, 30 s on two, and 3 880 on four after the second restart.
  EXPECT_EQ(when(all[2].to), Duration(120s + 30s + 970s));
}

TEST_F(PolluxPolicy, leaves_a_job_alone_until_a_restart_pays) {
  world.costs.restart = 600s;
  submit(0, 1, 4000);
  // age / (age + 600) of 0.5 is more than 0.25 from an age of 600 s on.
  const auto all = stays(0);
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(when(all[1].from), Duration(660s));
}

TEST_F(PolluxPolicy, plans_at_intervals_and_not_at_events) {
  submit(0, 1, 4000);
  submit(10, 1, 4000);
  EXPECT_EQ(when(stays(1)[0].from), Duration(60s));
  EXPECT_EQ(when(stays(1, {{"interval", "3 min"}})[0].from), Duration(180s));
}

TEST_F(PolluxPolicy, gives_equal_jobs_equal_shares) {
  submit(0, 1, 4000);
  submit(0, 4, 4000);
  for (const std::uint32_t job : {0u, 1u}) {
    const auto all = stays(job);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(gpus(all[1]), 2u);
    EXPECT_EQ(when(all[1].from), Duration(60s));
    EXPECT_GT(when(all[1].to), Duration(1900s)) << "and keeps them";
  }
}

TEST_F(PolluxPolicy, shrinks_a_job_for_a_newcomer) {
  submit(0, 4, 40'000);
  submit(1200, 4, 40'000);
  // For two jobs a fair share is two GPUs; 1200 - 60 s of 1230 are left to the first.
  const auto first = stays(0);
  ASSERT_GE(first.size(), 4u);
  EXPECT_EQ(gpus(first[2]), 4u);
  EXPECT_LT(gpus(first[3]), 4u);
  EXPECT_EQ(when(first[3].from), Duration(1200s));
  EXPECT_EQ(when(stays(1)[0].from), Duration(1200s));
}

TEST_F(PolluxPolicy, never_moves_jobs_where_all_have_a_gpu_and_no_more_are_left) {
  for (int i = 0; i < 6; ++i) submit(0, 1, 4000);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto all = stays(i);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(when(all[0].to), Duration(4000s));
  }
  EXPECT_EQ(when(stays(5)[0].from), Duration(4020s)) << "the next plan after they ended";
}

TEST_F(PolluxPolicy, chooses_the_batch_of_most_goodput_where_it_may) {
  // An iteration takes 1 s, and 1 s more for each sample of a GPU.
  profile.speed.alpha_c = 1;
  profile.batch.most = profile.batch.local_most = 64;
  submit(0, 1, 4000);
  const auto batch = [&](std::optional<double> scale) {
    profile.noise.scale = scale;
    world.models.set(KindId{0}, {}, profile);
    return stays(0).front().batch;
  };
  EXPECT_EQ(batch(std::nullopt), 4) << "it was not measured what a sample counts";
  EXPECT_EQ(batch(1e17), 64);
  EXPECT_EQ(batch(1), 4) << "64 samples count 5/65 each, four count all";
}

TEST_F(PolluxPolicy, runs_jobs_without_a_model_as_asked) {
  add_job(world, {.gpus = 3, .requested = 1000, .actual = 1000});
  const auto all = stays(0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(gpus(all[0]), 3u);
  EXPECT_EQ(when(all[0].to), Duration(1000s));
}

TEST_F(PolluxPolicy, takes_exponents_from_minus_ten_to_one) {
  for (const char* wrong : {"2", "-11", "nan", "", "1x"}) {
    const auto made =
        core_policies().make({.cluster = world.cluster}, "pollux", {{"fairness", wrong}});
    ASSERT_FALSE(made) << wrong;
    EXPECT_EQ(made.error().message, "policy 'pollux': fairness: '" + std::string(wrong) +
                                        "' is not a number from -10 to 1");
  }
  submit(0, 1, 4000);
  for (const char* right : {"-10", "-1", "0", "0.5", "1"})
    EXPECT_EQ(gpus(stays(0, {{"fairness", right}}).back()), 4u) << right;
}

}  // namespace
}  // namespace penstock
