#include "training/training_report.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Two networks: the first validated before training and after its second update, the other once.
TrainingReport two_networks() {
  return {.networks = {"sjf", "rl"},
          .updates = 10,
          .reference = -1,
          .baseline = "best heuristic",
          .measure = "cost",
          .curve = {{.member = 0, .update = 0, .validation = -1.5, .best = -1.5, .agreement = 0.9},
                    {.member = 0, .update = 1, .decisions = 7, .mean_return = -1.75, .best = -1.5},
                    {.member = 0, .update = 2, .validation = -1.25, .best = -1.25},
                    {.member = 1, .update = 0, .validation = -2, .best = -2}}};
}

TEST(TrainingReport, csv_has_a_row_for_every_point_and_leaves_out_what_was_not_measured) {
  EXPECT_EQ(training_csv(two_networks()),
            "network,update,decisions,mean_return,validation_return,best_validation_return,"
            "reference_return,entropy,kl,explained_variance,teacher_agreement\n"
            "sjf,0,0,,-1.5,-1.5,-1,,,,0.9\n"
            "sjf,1,7,-1.75,,-1.5,-1,,,,\n"
            "sjf,2,0,,-1.25,-1.25,-1,,,,\n"
            "rl,0,0,,-2,-2,-1,,,,\n");
}

TEST(TrainingReport, summary_names_the_best_validation_of_each_network) {
  EXPECT_EQ(
      curve_summary(two_networks()),
      "sjf: -1.5000 at first, -1.2500 after 2 of 2 updates, agreed with its teacher in 90.0 %; "
      "rl: -2.0000 at first, -2.0000 after 0 of 0 updates");
}

TEST(TrainingReport, table_puts_the_best_first) {
  EXPECT_EQ(training_table(two_networks(), {{-1, "sjf+easy"}, {-3, "fifo"}}),
            "   -1.0000  sjf+easy\n"
            "   -1.2500  network sjf\n"
            "   -2.0000  network rl\n"
            "   -3.0000  fifo\n");
}

TEST(TrainingReport, progress_counts_the_updates_that_are_left) {
  TrainingReport report = two_networks();
  report.curve.pop_back();
  // 8 of this network and 10 of the next, each 2 seconds.
  const std::string text = progress_text(report, {.seconds = 4, .decisions = 800, .updates = 2});
  EXPECT_TRUE(text.starts_with("sjf (1 of 2): update 2 of 10, ")) << text;
  EXPECT_NE(text.find("200 decisions/s"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" left")) << text;
}

TEST(TrainingScore, is_the_mean_over_networks) {
  const auto score = score_of_curve(training_csv(two_networks()), "curve.csv");
  ASSERT_TRUE(score) << score.error().message;
  EXPECT_EQ(score->networks, 2u);
  EXPECT_EQ(score->updates, 2u);
  EXPECT_DOUBLE_EQ(score->first, -1.75);  // of -1.5 and -2
  EXPECT_DOUBLE_EQ(score->best, -1.625);  // of -1.25 and -2
  EXPECT_DOUBLE_EQ(score->reference, -1);
  EXPECT_DOUBLE_EQ(score->margin(), -0.625);
}

TEST(TrainingScore, needs_rows_and_a_validation_of_each_network) {
  TrainingReport report = two_networks();
  report.curve = {{.member = 1, .update = 1, .mean_return = -1}};
  const auto never = score_of_curve(training_csv(report), "c.csv");
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().message, "c.csv: rl was never validated");
  report.curve.clear();
  const auto empty = score_of_curve(training_csv(report), "c.csv");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "c.csv: has no rows");
}

}  // namespace
}  // namespace penstock
