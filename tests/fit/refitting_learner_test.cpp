#include "fit/refitting_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

Profile plain() {
  return {.speed = {.alpha_c = 1, .alpha_r = 1, .beta_r = 1, .alpha_n = 1, .beta_n = 1},
          .power = {.p0 = Watts(100), .p3 = Watts(100)},
          .batch = {.least = 8, .most = 64, .local_most = 16},
          .gpus_most = 16};
}

TEST(BeliefError, is_nothing_for_the_truth) {
  const BeliefError error = belief_error(plain(), plain());
  EXPECT_EQ(error.throughput, 0);
  EXPECT_EQ(error.draw, 0);
}

TEST(BeliefError, is_one_half_for_a_belief_of_twice_the_time_and_half_the_draw) {
  Profile believed = plain();
  for (const auto part : {&SpeedModel::alpha_c, &SpeedModel::alpha_r, &SpeedModel::beta_r,
                          &SpeedModel::alpha_n, &SpeedModel::beta_n})
    believed.speed.*part *= 2;
  believed.power = {.p0 = Watts(50), .p3 = Watts(50)};
  const BeliefError error = belief_error(believed, plain());
  EXPECT_NEAR(error.throughput, 0.5, 1e-12);
  EXPECT_NEAR(error.draw, 0.5, 1e-12);
}

TEST(BeliefError, of_a_table_is_over_what_it_holds) {
  Profile truth = table_profile("lstm", "tesla", {{1, 40.0}, {3, 20.0}});
  truth.power.p0 = Watts(100);
  Profile believed = truth;
  believed.epoch_seconds = {40, 0, 10};
  EXPECT_NEAR(belief_error(believed, truth).throughput, 0.5, 1e-12);
  EXPECT_EQ(belief_error(believed, truth).draw, 0);
}

}  // namespace

namespace {

constexpr KindId kKind{0};
constexpr GpuTypeId kType{0};

Profile bert() {
  return {.name = "bert",
          .gpu = "a100",
          .speed = {.alpha_c = 0.05,
                    .beta_c = 0.002,
                    .alpha_r = 0.06,
                    .beta_r = 0.002,
                    .alpha_n = 0.07,
                    .beta_n = 0.0005,
                    .gamma = 2.5,
                    .delta = 0.15},
          .power = {Watts(130), Watts(20), Watts(250), Watts(60)},
          .noise = {.base = 12, .scale = 9000},
          .batch = {.least = 12, .most = 384, .local_most = 128},
          .gpus_most = 64};
}

/// Every parameter times a random factor.
Profile disturbed(Profile profile, double spread, Rng rng) {
  const auto factor = [&] { return std::exp(rng.normal(0, spread)); };
  for (const auto part : {&SpeedModel::alpha_c, &SpeedModel::beta_c, &SpeedModel::alpha_r,
                          &SpeedModel::beta_r, &SpeedModel::alpha_n, &SpeedModel::beta_n})
    profile.speed.*part *= factor();
  for (const auto part : {&PowerModel::p0, &PowerModel::p1, &PowerModel::p3, &PowerModel::p1_sync})
    profile.power.*part = profile.power.*part * factor();
  return profile;
}

Models with(const Profile& profile) {
  Models models(1);
  models.set(models.add_kind(), kType, profile);
  return models;
}

Observation seen(const Profile& truth, const Config& config) {
  return {.kind = kKind,
          .type = kType,
          .config = config,
          .over = std::chrono::minutes(1),
          .speed = Speed(throughput(truth, config) / 1e3),
          .draw = draw(truth, config)};
}

/// GPUs, batch and clock as a scheduler might choose them.
Config any_config(Rng& rng) {
  const std::uint32_t gpus = 1u << rng.below(5);
  const double batch = std::max(12.0, std::min(384.0, 128.0 * gpus) / double(1u << rng.below(4)));
  return {.gpus = gpus,
          .nodes = gpus > 8 ? 2u : 1u,
          .batch = std::max(batch, 1.0 * gpus),
          .clock = 0.5 + 0.1 * static_cast<double>(rng.below(6))};
}

const Profile& believed(const RefittingLearner& learner) {
  return *learner.models().find(kKind, kType);
}

TEST(RefittingLearner, changes_nothing_while_what_is_seen_agrees_with_what_is_believed) {
  RefittingLearner learner(with(bert()), {}, Rng(1));
  const std::uint64_t version = learner.models().version();
  Rng rng(2);
  for (int i = 0; i < 1000; ++i) learner.observe(seen(bert(), any_config(rng)));
  EXPECT_EQ(learner.fits(), 0u);
  EXPECT_EQ(learner.models().version(), version);
}

TEST(RefittingLearner, learns_from_one_run_that_everything_is_half_as_fast) {
  Profile slow = bert();
  for (const auto part : {&SpeedModel::alpha_c, &SpeedModel::beta_c, &SpeedModel::alpha_r,
                          &SpeedModel::beta_r, &SpeedModel::alpha_n, &SpeedModel::beta_n})
    slow.speed.*part *= 2;
  RefittingLearner learner(with(bert()), {}, Rng(1));
  const Config config{.gpus = 1, .batch = 64};
  learner.observe(seen(slow, config));
  EXPECT_NEAR(throughput(believed(learner), config) / throughput(slow, config), 1, 0.02);
  EXPECT_EQ(learner.models().version(), 2u);
}

TEST(RefittingLearner, sees_the_time_of_an_iteration_whatever_its_samples_count) {
  Profile noisy = bert();
  noisy.noise.scale = 20;  // a batch of 128 counts as 27 samples
  RefittingLearner learner(with(noisy), {}, Rng(1));
  learner.observe(seen(noisy, {.gpus = 1, .batch = 128}));
  EXPECT_EQ(learner.fits(), 0u);
}

TEST(RefittingLearner, sees_a_batch_that_does_not_fit_computed_in_parts) {
  const Config three_parts{.gpus = 2, .batch = 768};  // 384 on each GPU, which holds 128
  RefittingLearner right(with(bert()), {}, Rng(1));
  right.observe(seen(bert(), three_parts));
  EXPECT_EQ(right.fits(), 0u);
  RefittingLearner learner(with(bert()), {}, Rng(1));
  Profile slow = bert();
  slow.speed.alpha_c *= 4;
  slow.power.p1_sync = Watts(180);
  learner.observe(seen(slow, three_parts));
  learner.observe(seen(slow, {.gpus = 1, .batch = 1280}));
  for (const Config& config : {three_parts, Config{.gpus = 1, .batch = 1280}}) {
    EXPECT_NEAR(throughput(believed(learner), config) / throughput(slow, config), 1, 0.02);
    EXPECT_NEAR(draw(believed(learner), config) / draw(slow, config), 1, 0.02);
  }
}

/// The mean errors of both kinds over 20 truths, after so many observations.
BeliefError mean_error_after(int observations) {
  constexpr int kTruths = 20;
  BeliefError mean;
  for (std::uint64_t seed = 0; seed < kTruths; ++seed) {
    const Profile truth = disturbed(bert(), 0.3, Rng(seed).stream("truth"));
    RefittingLearner learner(with(bert()), {.instrument = 0.03}, Rng(seed).stream("instrument"));
    Rng runs = Rng(seed).stream("runs");
    for (int i = 0; i < observations; ++i) learner.observe(seen(truth, any_config(runs)));
    const BeliefError error = belief_error(believed(learner), truth);
    mean.throughput += error.throughput / kTruths;
    mean.draw += error.draw / kTruths;
  }
  return mean;
}

TEST(RefittingLearner, errs_the_less_the_more_it_has_seen) {
  BeliefError last = mean_error_after(0);
  EXPECT_GT(last.throughput, 0.1);
  EXPECT_GT(last.draw, 0.1);
  for (const int observations : {3, 10, 30}) {
    const BeliefError error = mean_error_after(observations);
    EXPECT_LT(error.throughput, last.throughput) << "after " << observations;
    EXPECT_LT(error.draw, last.draw) << "after " << observations;
    last = error;
  }
  EXPECT_LT(last.throughput, 0.03);
  EXPECT_LT(last.draw, 0.03);
}

TEST(RefittingLearner, fits_ever_more_seldom) {
  const Profile truth = disturbed(bert(), 0.3, Rng(5));
  RefittingLearner learner(with(bert()), {.instrument = 0.03}, Rng(1));
  Rng runs(2);
  for (int i = 0; i < 2000; ++i) learner.observe(seen(truth, any_config(runs)));
  EXPECT_GT(learner.fits(), 3u);
  EXPECT_LT(learner.fits(), 150u);
}

TEST(RefittingLearner, believes_the_same_after_the_same) {
  const auto after = [](std::uint64_t seed) {
    RefittingLearner learner(with(bert()), {.instrument = 0.03}, Rng(seed));
    const Profile truth = disturbed(bert(), 0.3, Rng(5));
    Rng runs(2);
    for (int i = 0; i < 40; ++i) learner.observe(seen(truth, any_config(runs)));
    return believed(learner);
  };
  EXPECT_EQ(after(1).speed, after(1).speed);
  EXPECT_EQ(after(1).power, after(1).power);
  EXPECT_NE(after(1).speed, after(2).speed);
}

TEST(RefittingLearner, a_guess_is_one_until_three_ways_were_measured) {
  Models models(1);
  models.guess(models.add_kind(), kType, bert());
  RefittingLearner learner(models, {}, Rng(1));
  const Profile truth = disturbed(bert(), 0.3, Rng(5));
  learner.observe(seen(truth, {.gpus = 1, .batch = 16}));
  learner.observe(seen(truth, {.gpus = 1, .batch = 16}));
  learner.observe(seen(truth, {.gpus = 1, .batch = 16, .clock = 0.6}));
  EXPECT_TRUE(learner.models().is_guess(kKind, kType));
  learner.observe(seen(truth, {.gpus = 2, .batch = 16}));
  EXPECT_FALSE(learner.models().is_guess(kKind, kType));
}

TEST(RefittingLearner, a_guess_that_proves_right_is_known_too) {
  Models models(1);
  models.guess(models.add_kind(), kType, bert());
  RefittingLearner learner(models, {}, Rng(1));
  for (const double clock : {0.6, 0.8, 1.0})
    learner.observe(seen(bert(), {.gpus = 1, .batch = 16, .clock = clock}));
  EXPECT_FALSE(learner.models().is_guess(kKind, kType));
}

TEST(RefittingLearner, does_not_mind_what_it_has_no_models_of) {
  RefittingLearner learner(Models(1), {}, Rng(1));
  learner.observe(seen(bert(), {.gpus = 1, .batch = 16}));
  EXPECT_EQ(learner.models().kinds(), 0u);
}

/// 40, 25 and 20 s for an epoch on 1, 2 and 3 GPUs.
Profile lstm() {
  Profile table = table_profile("lstm", "tesla", {{1, 40.0}, {2, 25.0}, {3, 20.0}});
  table.power.p0 = Watts(100);
  return table;
}

TEST(RefittingTables, changes_nothing_while_what_is_seen_agrees_with_what_is_believed) {
  RefittingLearner learner(with(lstm()), {}, Rng(1));
  for (const std::uint32_t gpus : {1u, 2u, 3u}) learner.observe(seen(lstm(), {.gpus = gpus}));
  EXPECT_EQ(learner.fits(), 0u);
  EXPECT_EQ(learner.models().version(), 1u);
}

TEST(RefittingTables, learns_an_entry_whatever_batch_and_clock_it_was_seen_with) {
  Profile slow = lstm();
  slow.epoch_seconds[1] = 50;
  RefittingLearner learner(with(lstm()), {}, Rng(1));
  learner.observe(seen(slow, {.gpus = 2, .batch = 64, .clock = 0.5}));
  learner.observe(seen(slow, {.gpus = 2, .batch = 32}));
  EXPECT_NEAR(believed(learner).epoch_seconds[1], 50, 0.1);
  EXPECT_GT(believed(learner).epoch_seconds[0], 50);  // half of the surprise is taken to be shared
  EXPECT_LT(believed(learner).epoch_seconds[0], 60);
}

TEST(RefittingTables, learns_nothing_from_a_way_that_the_table_does_not_hold) {
  RefittingLearner learner(with(lstm()), {}, Rng(1));
  Observation odd = seen(lstm(), {.gpus = 4});
  odd.speed = Speed(1);
  learner.observe(odd);
  learner.observe({.config = {.gpus = 2, .nodes = 2}, .speed = Speed(1), .draw = Watts(1)});
  EXPECT_EQ(learner.models().version(), 1u);
}

TEST(RefittingTables, a_guess_is_known_when_every_entry_was_seen_if_those_are_few) {
  Models models(1);
  Profile two = table_profile("a", "b", {{1, 4.0}, {2, 3.0}});
  two.power.p0 = Watts(1);
  models.guess(models.add_kind(), kType, two);
  RefittingLearner learner(models, {}, Rng(1));
  learner.observe(seen(two, {.gpus = 1}));
  EXPECT_TRUE(learner.models().is_guess(kKind, kType));
  learner.observe(seen(two, {.gpus = 2}));
  EXPECT_FALSE(learner.models().is_guess(kKind, kType));
}

TEST(RefittingTables, errs_by_little_once_all_entries_were_seen_with_noisy_instruments) {
  Profile truth = lstm();
  for (double& seconds : truth.epoch_seconds) seconds *= 1.3;
  RefittingLearner learner(with(lstm()), {.instrument = 0.1}, Rng(1));
  for (int i = 0; i < 100; ++i)
    for (const std::uint32_t gpus : {1u, 2u, 3u}) learner.observe(seen(truth, {.gpus = gpus}));
  EXPECT_LT(belief_error(believed(learner), truth).throughput, 0.03);
}

}  // namespace

}  // namespace penstock
