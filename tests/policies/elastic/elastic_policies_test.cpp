// What makes each elastic policy itself, in worlds small enough to be checked in one's head.
#include <gtest/gtest.h>

#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// One node of four GPUs with clocks of 500 and 1000 MHz. An iteration over a batch of 4
/// takes as many seconds as the samples of each GPU, at half the clock twice as long: speed grows
/// with GPUs without loss. A GPU draws 60 W idle, at 500 MHz 100 W and at 1000 MHz 400 W
/// while it computes. A restart takes 30 s.
class ElasticPolicies : public testing::Test {
 protected:
  ElasticPolicies() {
    world.cluster.types[0] = {.name = "plain",
                              .min_clock_mhz = 500,
                              .max_clock_mhz = 1000,
                              .clock_step_mhz = 500,
                              .idle = Watts(60),
                              .peak = Watts(400)};
    world.costs.restart = 30s;
    world.models = Models(1);
    world.models.set(world.models.add_kind(), {}, profile);
  }
  /// `time` is what it takes on the GPUs it asks for.
  void submit(double when, std::uint32_t gpus, double time) {
    add_job(world, {.submitted = when, .gpus = gpus, .requested = time, .actual = time});
    world.jobs.back().job.kind_id = KindId{0};
    world.jobs.back().job.batch = 4;
    world.jobs.back().job.work = world.jobs.back().work = Work(time * gpus);
  }
  std::vector<RunSegment> stays(std::string_view policy, std::uint32_t job,
                                const Options& options = {}) {
    const RunLog log = run_logged(world, policy, options);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    return replay.stays_of(JobId{job});
  }
  static std::uint32_t gpus(const RunSegment& stay) { return gpu_count(stay.where); }
  Duration when(Time t) const { return t - world.start(); }

  World world = one_site(1, 4);
  Profile profile{.speed = {.beta_c = 1},
                  .power = {.p0 = Watts(57), .p3 = Watts(343)},
                  .batch = {.least = 4, .most = 4, .local_most = 4},
                  .gpus_most = 4};
};

TEST_F(ElasticPolicies, a_job_alone_gets_all_that_speeds_it_up) {
  submit(0, 1, 4000);
  for (const char* policy : {"afs", "optimus", "gandiva", "powerflow"}) {
    const auto all = stays(policy, 0);
    ASSERT_EQ(all.size(), 1u) << policy;
    EXPECT_EQ(gpus(all[0]), 4u) << policy;
    EXPECT_EQ(when(all[0].to), Duration(1000s)) << policy;
  }
}

TEST_F(ElasticPolicies, a_job_above_what_its_kind_was_measured_on_gets_what_it_asked_for) {
  profile.gpus_most = 1;
  world.models.set(KindId{0}, {}, profile);
  submit(0, 3, 4000);
  for (const char* policy : {"afs", "optimus", "gandiva", "tiresias", "pollux", "powerflow"}) {
    const auto all = stays(policy, 0);
    ASSERT_EQ(all.size(), 1u) << policy;
    EXPECT_EQ(gpus(all[0]), 3u) << policy;
    EXPECT_EQ(all[0].batch, 4) << policy;
    EXPECT_EQ(when(all[0].to), Duration(4000s)) << policy;
  }
}

TEST_F(ElasticPolicies, a_job_that_asked_for_four_gpus_computes_its_batch_on_one_in_parts) {
  // A GPU holds one sample; the four take 4 s one after the other, as they would together.
  profile.batch.local_most = 1;
  world.models.set(KindId{0}, {}, profile);
  submit(0, 4, 1000);
  for (int i = 0; i < 3; ++i) submit(0, 1, 40'000);
  for (const auto& [policy, options] :
       {std::pair("optimus", Options{}), std::pair("pollux", Options{}),
        std::pair("powerflow", Options{{"rank", "shares"}})}) {
    const auto all = stays(policy, 0, options);
    ASSERT_EQ(all.size(), 1u) << policy;
    EXPECT_EQ(gpus(all[0]), 1u) << policy;
    EXPECT_EQ(all[0].batch, 4) << policy;
    EXPECT_EQ(when(all[0].to), Duration(4000s)) << policy;
  }
}

TEST_F(ElasticPolicies, powerflow_lets_a_short_job_have_every_gpu_before_long_ones) {
  submit(0, 4, 1000);
  for (int i = 0; i < 3; ++i) submit(0, 1, 40'000);
  const auto all = stays("powerflow", 0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(gpus(all[0]), 4u);
  EXPECT_EQ(when(all[0].to), Duration(1000s));
}

TEST_F(ElasticPolicies, powerflow_chooses_a_batch_only_where_it_may) {
  // An iteration takes 1 s, and 1 s more for each sample of a GPU. On four GPUs that is 2 s for 4
  // samples and 17 s for 64, 1.9 times as many a second.
  profile.speed.alpha_c = 1;
  profile.batch.most = profile.batch.local_most = 64;
  submit(0, 1, 4000);
  const auto batch = [&](const Options& options) {
    world.models.set(KindId{0}, {}, profile);
    return stays("powerflow", 0, options).front().batch;
  };
  EXPECT_EQ(batch({}), 4) << "it was not measured what a sample counts";
  profile.noise.scale = 1e17;
  EXPECT_EQ(batch({}), 64);
  EXPECT_EQ(batch({{"batch", "fixed"}}), 4);
}

/// Two nodes, each half full with a job for a day once the short job beside the first has ended.
TEST_F(ElasticPolicies, powerflow_empties_a_node_that_can_sleep_where_energy_has_a_price) {
  World rigid = one_site(2, 4);
  rigid.cluster.nodes[0].base = rigid.cluster.nodes[1].base = Watts(500);
  rigid.costs.restart = 30s;
  rigid.costs.sleep_after = Duration::zero();
  for (const double time : {86'400, 1000, 86'400})
    add_job(rigid, {.gpus = 2, .requested = time, .actual = time});
  world = rigid;
  // An hour of sleep saves 0.5 kWh and what idle GPUs draw: that is worth 30 s at 70 s a kWh.
  EXPECT_EQ(stays("powerflow", 0, {{"energy_price", "20"}}).size(), 1u);
  const auto moved = stays("powerflow", 0, {{"energy_price", "70"}});
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(when(moved[1].from), Duration(1000s));
  EXPECT_EQ(moved[1].where.front().first, GpuId{6});
  EXPECT_EQ(stays("powerflow", 2, {{"energy_price", "70"}}).size(), 1u);
}

/// It would have all but ended by what its user said, and then no clock seems to take any time.
TEST_F(ElasticPolicies, powerflow_does_not_crawl_with_a_job_that_takes_longer_than_was_said) {
  submit(0, 4, 1000);
  world.jobs.back().work = Work(40'000);  // ten times as much
  submit(3000, 1, 10);                    // it plans anew
  const auto all = stays("powerflow", 0, {{"energy_price", "1"}});
  EXPECT_EQ(gpus(all.back()), 4u);
  EXPECT_LE(when(all.back().to), Duration(10'200s));
}

TEST_F(ElasticPolicies, powerflow_expects_gpu_hours_only_of_a_run_with_a_horizon) {
  const auto why = [&](const Options& options) {
    const auto made = core_policies().make({.cluster = world.cluster}, "powerflow", options);
    return made ? "" : made.error().message;
  };
  const std::string none =
      "policy 'powerflow': budget_gpu_hours: only for a budget for the whole run with a "
      "budget_horizon; without them "
      "nothing is expected of arrivals";
  EXPECT_EQ(why({{"budget_gpu_hours", "10"}}), none);
  EXPECT_EQ(why({{"budget_gpu_hours", "10"}, {"energy_budget", "9 kWh"}}), none);
  EXPECT_EQ(why({{"budget_gpu_hours", "10"}, {"energy_budget", "90 kWh/h"}}), none);
  EXPECT_EQ(why({{"budget_gpu_hours", "0"}, {"energy_budget", "9 kWh"}, {"budget_horizon", "1 h"}}),
            "policy 'powerflow': budget_gpu_hours: 0 is not more than nothing");
  EXPECT_EQ(
      why({{"budget_gpu_hours", "10"}, {"energy_budget", "9 kWh"}, {"budget_horizon", "1 h"}}), "");
  EXPECT_EQ(
      why({{"energy_budget", "90 kWh/h"}, {"budget_horizon", "1 h"}}),
      "policy 'powerflow': budget_horizon: '90 kWh/h' is a budget by time, which holds however "
      "long the run lasts; possible: no budget_horizon, or a budget for the whole run such as "
      "'900 kWh'");
}

TEST_F(ElasticPolicies, no_other_batches_than_free_and_fixed_are_possible) {
  const auto made =
      core_policies().make({.cluster = world.cluster}, "powerflow", {{"batch", "best"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "policy 'powerflow': batch: 'best' is not possible; free or fixed");
}

TEST_F(ElasticPolicies, tiresias_runs_jobs_at_the_size_they_asked_for) {
  submit(0, 1, 4000);
  const auto all = stays("tiresias", 0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(gpus(all[0]), 1u);
  EXPECT_EQ(when(all[0].to), Duration(4000s));
}

TEST_F(ElasticPolicies, two_jobs_share_and_the_one_left_over_grows) {
  submit(0, 2, 1000);
  submit(0, 2, 4000);
  for (const char* policy : {"afs", "optimus"}) {
    const auto long_one = stays(policy, 1);
    ASSERT_FALSE(long_one.empty()) << policy;
    EXPECT_EQ(gpus(long_one.back()), 4u) << policy;
    EXPECT_LT(when(long_one.back().to), Duration(2 * 4000s)) << policy;
  }
}

TEST_F(ElasticPolicies, tiresias_stops_a_job_that_had_its_share_for_a_newcomer) {
  submit(0, 4, 2000);
  submit(100, 4, 50);
  // 3 250 GPU-seconds are 812.5 s on four GPUs.
  const auto first = stays("tiresias", 0);
  const auto second = stays("tiresias", 1);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(when(second[0].from), Duration(812500));
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(when(first[1].to), Duration(2000s + 50s + 30s)) << "with one restart";
}

TEST_F(ElasticPolicies, gandiva_lets_jobs_take_turns) {
  submit(0, 4, 5000);
  submit(0, 4, 5000);
  const auto second = stays("gandiva", 1, {{"slice", "10 min"}});
  ASSERT_GT(second.size(), 2u);
  EXPECT_EQ(when(second[0].from), Duration(600s));
  EXPECT_EQ(when(second[0].to), Duration(1200s));
}

TEST_F(ElasticPolicies, powerflow_clocks_down_when_energy_is_dear) {
  submit(0, 1, 4000);
  const auto dear = stays("powerflow", 0, {{"energy_price", "100000"}});
  ASSERT_EQ(dear.size(), 1u);
  EXPECT_EQ(dear[0].clock_mhz, 500u);
  EXPECT_EQ(stays("powerflow", 0)[0].clock_mhz, 1000u);
}

TEST_F(ElasticPolicies, any_policy_can_run_at_the_clock_of_least_energy_or_a_given_one) {
  submit(0, 1, 4000);
  for (const char* policy : {"fifo", "afs", "tiresias"}) {
    EXPECT_EQ(stays(policy, 0)[0].clock_mhz, 1000u) << policy;
    EXPECT_EQ(stays(policy, 0, {{"clock", "500"}})[0].clock_mhz, 500u) << policy;
    EXPECT_EQ(stays(policy, 0, {{"clock", "zeus"}})[0].clock_mhz, 500u) << policy;
  }
}

TEST_F(ElasticPolicies, a_clock_that_the_gpu_does_not_list_is_refused) {
  const auto made = core_policies().make({.cluster = world.cluster}, "afs", {{"clock", "700"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(
      made.error().message,
      "policy 'afs': clock: 700 MHz is not possible; plain has 500 to 1000 MHz in steps of 500");
}

}  // namespace
}  // namespace penstock
