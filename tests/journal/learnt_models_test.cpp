#include "journal/learnt_models.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Profile formula(double alpha) {
  return {.name = "resnet50",
          .gpu = "a100",
          .speed = {.alpha_c = alpha,
                    .beta_c = 0.002,
                    .alpha_r = 0.01,
                    .beta_r = 0.001,
                    .alpha_n = 0.02,
                    .beta_n = 0.002,
                    .gamma = 1.5},
          .power = {.p0 = Watts(60), .p1 = Watts(0.1), .p3 = Watts(120)},
          .batch = {.least = 8, .most = 256, .local_most = 64},
          .batch_usual = 64,
          .gpus_most = 8};
}

Profile table(double seconds) {
  return {.name = "made-up",
          .gpu = "v100",
          .epoch_seconds = {seconds, seconds / 1.7},
          .power = {.p0 = Watts(60), .p3 = Watts(120)},
          .gpus_most = 2};
}

TEST(LearntModels, are_read_as_they_were_written) {
  const auto read =
      parse_learnt(learnt_json({{formula(0.1), formula(0.3)}, {table(4), table(1.0 / 3)}}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].was.speed.alpha_c, 0.1);
  EXPECT_EQ(read[0].is.speed.alpha_c, 0.3);
  EXPECT_EQ(read[0].is.power.p3, Watts(120));
  EXPECT_EQ(read[1].is.epoch_seconds, table(1.0 / 3).epoch_seconds);
}

TEST(LearntModels, take_the_place_of_what_they_were_learnt_of) {
  std::vector<Profile> catalogue{table(4), formula(0.1)};
  EXPECT_EQ(apply_learnt({{formula(0.1), formula(0.3)}}, catalogue).size(), 1u);
  EXPECT_EQ(catalogue[1].speed.alpha_c, 0.3);
  EXPECT_EQ(catalogue[0].epoch_seconds.front(), 4);
}

TEST(LearntModels, do_not_count_once_the_catalogue_was_changed) {
  std::vector<Profile> catalogue{formula(0.2)};
  EXPECT_TRUE(apply_learnt({{formula(0.1), formula(0.3)}}, catalogue).empty());
  EXPECT_EQ(catalogue[0].speed.alpha_c, 0.2);
}

TEST(LearntModels, of_several_lives_are_those_of_the_last_since_the_first) {
  const auto both = merge_learnt({{formula(0.1), formula(0.3)}, {table(4), table(5)}},
                                 {{formula(0.3), formula(0.5)}});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].was.speed.alpha_c, 0.1);
  EXPECT_EQ(both[0].is.speed.alpha_c, 0.5);
  EXPECT_EQ(both[1].is.epoch_seconds.front(), 5);
}

TEST(LearntModels, pass_over_what_they_do_not_understand) {
  for (const char* text :
       {"", "3", "{}", R"({"learnt":3})", R"({"learnt":[3,{},{"was":1,"is":2}]})",
        R"({"learnt":[{"was":"x","is":"y"}]})"})
    EXPECT_TRUE(parse_learnt(text).empty()) << text;
}

}  // namespace
}  // namespace penstock
