#include "model/profile.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Numbers that can be followed in one's head.
Profile easy() {
  return {.name = "easy",
          .speed = {.alpha_c = 1,
                    .beta_c = 0.5,
                    .alpha_r = 2,
                    .beta_r = 0.25,
                    .alpha_n = 3,
                    .beta_n = 1,
                    .gamma = 1,
                    .delta = 0.5},
          .power = {Watts(50), Watts(30), Watts(120), Watts(10)},
          .batch = {.least = 4, .most = 64, .local_most = 16},
          .batch_usual = 8,
          .gpus_most = 16};
}

TEST(Profile, one_gpu_only_computes) {
  const auto time = iteration_time(easy().speed, {.gpus = 1, .batch = 8});
  EXPECT_DOUBLE_EQ(time.compute, 5);
  EXPECT_DOUBLE_EQ(time.sync, 0);
  EXPECT_DOUBLE_EQ(time.total, 5);
}

TEST(Profile, gpus_of_a_node_share_the_batch_and_talk) {
  const auto time = iteration_time(easy().speed, {.gpus = 4, .batch = 8});
  EXPECT_DOUBLE_EQ(time.compute, 2);
  EXPECT_DOUBLE_EQ(time.sync, 2.5);
  EXPECT_DOUBLE_EQ(time.total, 4.5);
}

TEST(Profile, talking_between_nodes_costs_more) {
  EXPECT_DOUBLE_EQ(iteration_time(easy().speed, {.gpus = 4, .nodes = 2, .batch = 8}).sync, 5);
}

TEST(Profile, half_the_clock_slows_only_what_follows_it) {
  EXPECT_DOUBLE_EQ(iteration_time(easy().speed, {.gpus = 1, .batch = 8, .clock = 0.5}).compute,
                   7.5);
}

TEST(Profile, gamma_two_overlaps_like_a_right_angle) {
  SpeedModel speed = easy().speed;
  speed = {.alpha_c = 3, .alpha_r = 4, .gamma = 2};
  EXPECT_DOUBLE_EQ(iteration_time(speed, {.gpus = 2, .batch = 8}).total, 5);
}

/// Two GPUs: 10 s and 5000 J, or 12.5 s and 4000 J; then they wait at 50 W each.
Profile two_points() {
  return {.front = {{10, 5000}, {12.5, 4000}},
          .power = {.p0 = Watts(50)},
          .gpus_least = 2,
          .gpus_most = 2};
}

TEST(Profile, of_a_front_is_as_slow_as_its_clock_says_with_the_energy_between_its_points) {
  EXPECT_EQ(front_at(two_points(), 1), (FrontPoint{10, 5000}));
  EXPECT_EQ(front_at(two_points(), 0.8), (FrontPoint{12.5, 4000}));
  EXPECT_DOUBLE_EQ(front_at(two_points(), 10 / 11.0).joules, 4600);
  EXPECT_EQ(front_at(two_points(), 0.5), (FrontPoint{20, 4000 + 7.5 * 100}));
  EXPECT_DOUBLE_EQ(throughput(two_points(), {.gpus = 2, .batch = 64}), 0.1);
  EXPECT_DOUBLE_EQ(throughput(two_points(), {.gpus = 2, .clock = 0.5}), 0.05);
  EXPECT_DOUBLE_EQ(draw(two_points(), {.gpus = 2}).value(), 500);
  EXPECT_DOUBLE_EQ(draw(two_points(), {.gpus = 2, .clock = 0.8}).value(), 320);
}

TEST(Profile, of_a_front_runs_on_its_own_number_of_gpus_with_the_batch_it_has) {
  EXPECT_TRUE(runs(two_points(), {.gpus = 2, .nodes = 2}));
  EXPECT_FALSE(runs(two_points(), {.gpus = 1}));
  EXPECT_FALSE(runs(two_points(), {.gpus = 4}));
  EXPECT_FALSE(adapts_batch(two_points()));
  // A job that asked for others has them: each GPU does as much, and draws the same.
  EXPECT_DOUBLE_EQ(throughput(two_points(), {.gpus = 3}), 0.15);
  EXPECT_DOUBLE_EQ(draw(two_points(), {.gpus = 3}).value(), 750);
}

TEST(Profile, without_a_noise_scale_every_sample_counts) {
  EXPECT_DOUBLE_EQ(efficiency({.base = 8}, 64), 1);
  EXPECT_DOUBLE_EQ(throughput(easy(), {.gpus = 1, .batch = 8}), 8.0 / 5);
}

TEST(Profile, a_batch_as_large_as_the_noise_scale_counts_half) {
  EXPECT_DOUBLE_EQ(efficiency({.base = 0, .scale = 64}, 64), 0.5);
}

TEST(Profile, draw_weighs_computing_and_talking_by_their_time) {
  EXPECT_DOUBLE_EQ(draw(easy(), {.gpus = 1, .batch = 8}).value(), 200);
  // 2 s at 200 W and 2.5 s at 60 W, on four GPUs.
  EXPECT_DOUBLE_EQ(draw(easy(), {.gpus = 4, .batch = 8}).value(), 4 * (2 * 200 + 2.5 * 60) / 4.5);
}

TEST(Profile, runs_with_a_sample_for_each_gpu_on_as_many_gpus_as_were_measured) {
  EXPECT_TRUE(runs(easy(), {.gpus = 8, .batch = 8}));
  EXPECT_FALSE(runs(easy(), {.gpus = 8, .batch = 4}));
  EXPECT_TRUE(runs(easy(), {.gpus = 16, .batch = 1024}));
  EXPECT_FALSE(runs(easy(), {.gpus = 32, .batch = 64}));
}

TEST(Profile, that_does_not_accumulate_fits_the_memory_of_each_gpu) {
  Profile profile = easy();
  profile.batch.accumulates = false;
  EXPECT_TRUE(runs(profile, {.gpus = 1, .batch = 16}));
  EXPECT_FALSE(runs(profile, {.gpus = 1, .batch = 17}));
  EXPECT_TRUE(runs(profile, {.gpus = 2, .batch = 32}));
  EXPECT_DOUBLE_EQ(throughput(profile, {.gpus = 1, .batch = 32}), 32 / 17.0) << "if it did run";
}

TEST(Profile, that_accumulates_computes_more_than_memory_holds_in_parts) {
  EXPECT_EQ(in_parts(easy(), {.gpus = 1, .batch = 16}).parts, 1);
  EXPECT_EQ(in_parts(easy(), {.gpus = 1, .batch = 17}).parts, 2);
  EXPECT_EQ(in_parts(easy(), {.gpus = 2, .batch = 17}).parts, 1);
  // Twice 1 + 16 / 2 seconds.
  EXPECT_DOUBLE_EQ(throughput(easy(), {.gpus = 1, .batch = 32}), 32 / 18.0);
}

TEST(Profile, only_the_last_part_overlaps_with_talking) {
  // Two parts of four samples, 3 s each. The first takes 3 s, the second with 4 s of talking 5 s.
  Profile profile = easy();
  profile.speed = {.alpha_c = 1, .beta_c = 0.5, .alpha_r = 4, .gamma = 2};
  profile.batch.local_most = 4;
  const Config config = in_parts(profile, {.gpus = 2, .batch = 16});
  EXPECT_EQ(config.parts, 2);
  const IterationTime time = iteration_time(profile.speed, config);
  EXPECT_DOUBLE_EQ(time.compute, 6);
  EXPECT_DOUBLE_EQ(time.sync, 4);
  EXPECT_DOUBLE_EQ(time.total, 8);
  EXPECT_DOUBLE_EQ(throughput(profile, {.gpus = 2, .batch = 16}), 2);
  // 6 s at 200 W and 2 s at 60 W, on two GPUs.
  EXPECT_DOUBLE_EQ(draw(profile, {.gpus = 2, .batch = 16}).value(), 2 * (6 * 200 + 2 * 60) / 8.0);
}

/// The batch may be chosen from 4 to 64.
Profile free_batch() {
  Profile profile = easy();
  profile.noise = {.base = 8, .scale = 100};
  return profile;
}

TEST(Profile, a_batch_is_free_only_where_it_was_measured_what_a_sample_then_counts) {
  for (const double batch : {3.0, 8.0, 65.0, 1000.0}) {
    EXPECT_TRUE(may_have_batch(easy(), batch, batch));
    EXPECT_TRUE(may_have_batch(free_batch(), batch, batch)) << "what it asked for it may have";
    EXPECT_FALSE(may_have_batch(easy(), batch, 16));
    EXPECT_EQ(may_have_batch(free_batch(), batch, 16), batch == 8);
  }
}

TEST(Profile, a_job_asks_for_what_is_usual_on_each_gpu_unless_it_names_a_batch) {
  EXPECT_EQ(asked_batch(easy(), 0, 1), 8);
  EXPECT_EQ(asked_batch(easy(), 0, 16), 128);
  EXPECT_EQ(asked_batch(easy(), 1000, 16), 1000);
  EXPECT_EQ(asked_batch(easy(), 3, 2), 3);
  EXPECT_EQ(asked_batch(easy(), 3, 4), 4) << "a sample for each GPU";
}

TEST(Profile, where_batches_are_free_a_job_asks_for_one_in_range) {
  EXPECT_EQ(asked_batch(free_batch(), 0, 2), 16);
  EXPECT_EQ(asked_batch(free_batch(), 0, 16), 64);
  EXPECT_EQ(asked_batch(free_batch(), 1000, 2), 64);
  EXPECT_EQ(asked_batch(free_batch(), 3, 1), 4);
}

TEST(Profile, a_job_that_does_not_accumulate_asks_for_what_fits) {
  Profile profile = easy();
  profile.batch.accumulates = false;
  EXPECT_EQ(asked_batch(profile, 1000, 2), 32);
  EXPECT_EQ(asked_batch(profile, 0, 2), 16);
}

/// 40 s for an epoch on one GPU, 10 s on four; two and three were not measured.
Profile measured() {
  Profile profile = table_profile("lstm", "tesla", {{4, 10.0}, {1, 40.0}});
  profile.power = {Watts(50), Watts(30), Watts(120), Watts(10)};
  return profile;
}

TEST(TableProfile, counts_epochs_whatever_batch_and_clock) {
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 1}), 1 / 40.0);
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 4, .batch = 512, .clock = 0.5}), 1 / 10.0);
  EXPECT_EQ(measured().gpus_most, 4u);
}

TEST(TableProfile, lets_a_job_keep_the_batch_it_asked_for) {
  EXPECT_EQ(asked_batch(measured(), 32, 4), 32);
  EXPECT_TRUE(may_have_batch(measured(), 32, 32));
  EXPECT_FALSE(may_have_batch(measured(), 1, 32));
}

TEST(TableProfile, runs_as_it_was_measured_and_on_one_node) {
  EXPECT_TRUE(runs(measured(), {.gpus = 4, .batch = 1e9}));
  EXPECT_FALSE(runs(measured(), {.gpus = 0}));
  EXPECT_FALSE(runs(measured(), {.gpus = 2}));
  EXPECT_FALSE(runs(measured(), {.gpus = 5}));
  EXPECT_FALSE(runs(measured(), {.gpus = 4, .nodes = 2}));
}

TEST(TableProfile, fewer_gpus_than_are_wanted_do_not_run) {
  Profile profile = measured();
  profile.gpus_least = 2;
  EXPECT_FALSE(runs(profile, {.gpus = 1}));
  EXPECT_TRUE(runs(profile, {.gpus = 4}));
}

TEST(TableProfile, a_way_without_an_entry_is_as_fast_as_the_nearest_smaller_one) {
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 3}), 1 / 40.0);
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 16}), 1 / 10.0);
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 8, .nodes = 2}), 1 / 10.0);
  EXPECT_DOUBLE_EQ(throughput(measured(), {.gpus = 4, .nodes = 4}), 1 / 40.0);
  EXPECT_DOUBLE_EQ(throughput(table_profile("a", "b", {{2, 7.0}}), {.gpus = 1}), 1 / 7.0);
}

TEST(TableProfile, draws_as_if_it_computed_all_the_time_at_the_highest_clock) {
  EXPECT_DOUBLE_EQ(draw(measured(), {.gpus = 4, .clock = 0.5}).value(), 4 * 200);
}

}  // namespace
}  // namespace penstock
