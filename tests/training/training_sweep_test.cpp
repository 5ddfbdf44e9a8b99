#include "training/training_sweep.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

class TwoTrainings : public testing::Test {
 protected:
  SweepPoint low_{.policy = {.name = "rl"}, .label = "rl rate=1", .folder = "rl-1"};
  SweepPoint high_{.policy = {.name = "rl"}, .label = "rl rate=2", .folder = "rl-2"};
  std::vector<TrainedPoint> trainings_{
      {.point = &low_,
       .changes = {{"rate", "1"}},
       .weights = "rl-1/weights.safetensors",
       .score = {.networks = 1, .updates = 3, .first = -2, .best = -1.5, .reference = -1}},
      {.point = &high_,
       .changes = {{"rate", "2"}},
       .weights = "rl-2/weights.safetensors",
       .score = {.networks = 1, .updates = 3, .first = -2, .best = -0.5, .reference = -1}}};
};

TEST_F(TwoTrainings, csv_marks_the_one_with_the_largest_margin) {
  EXPECT_EQ(trainings_csv(trainings_),
            "point,policy,rate,networks,updates,first_return,best_return,reference_return,margin,"
            "best,weights\n"
            "rl-1,rl,1,1,3,-2,-1.5,-1,-0.5,0,rl-1/weights.safetensors\n"
            "rl-2,rl,2,1,3,-2,-0.5,-1,0.5,1,rl-2/weights.safetensors\n");
}

TEST_F(TwoTrainings, table_puts_the_best_first) {
  const std::string table = trainings_table(trainings_);
  EXPECT_LT(table.find("rl rate=2"), table.find("rl rate=1"));
  EXPECT_NE(table.find("best: rl-2/weights.safetensors\n"), std::string::npos);
}

TEST_F(TwoTrainings, json_names_the_best_and_keeps_the_order) {
  const auto json = nlohmann::json::parse(trainings_json(trainings_));
  EXPECT_EQ(json.at("best"), "rl-2/weights.safetensors");
  EXPECT_EQ(json.at("trainings").at(0).at("margin"), -0.5);
  EXPECT_EQ(json.at("trainings").at(1).at("margin"), 0.5);
}

TEST_F(TwoTrainings, the_summary_of_a_point_gives_its_score_back) {
  const TrainingScore& score = trainings_[0].score;
  const auto read = parse_training(training_json(low_, score));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->networks, score.networks);
  EXPECT_EQ(read->updates, score.updates);
  EXPECT_EQ(read->first, score.first);
  EXPECT_EQ(read->best, score.best);
  EXPECT_EQ(read->reference, score.reference);
}

TEST(ParseTraining, refuses_what_is_no_summary_of_a_training) {
  for (const char* text : {"", "[]", "{}", R"({"training": 3})"}) {
    const auto read = parse_training(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "is not the summary of a training");
  }
}

}  // namespace
}  // namespace penstock
