#include "report/measures/savings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

/// A job that used `happened`, and would have used `former` and `ours`, of everything.
ComparedJob job(double happened, double former, double ours) {
  ComparedJob compared;
  for (std::size_t i = 0; i < kMeasureCount; ++i) {
    compared.happened[i] = happened;
    compared.former[i] = former;
    compared.ours[i] = ours;
  }
  return compared;
}

Savings compared(const std::vector<ComparedJob>& jobs, const std::string& mode = "live") {
  Savings savings{.mode = mode};
  compare(jobs, savings);
  return savings;
}

TEST(Savings, sums_energy_and_averages_times) {
  const Savings savings = compared({job(10, 30, 10), job(20, 30, 20)});
  EXPECT_EQ(savings.jobs, 2u);
  EXPECT_EQ(savings.happened[0], 30);
  EXPECT_EQ(savings.happened[3], 15);
  EXPECT_EQ(savings.saved[0]->value, 30);
  EXPECT_EQ(savings.saved[3]->value, 15);
  EXPECT_EQ(savings.saved[0]->percent, 50);
  EXPECT_EQ(savings.model_error[0], 0);
}

TEST(Savings, of_jobs_that_all_save_the_same_are_certain_where_the_models_are_right) {
  const Savings savings = compared(std::vector<ComparedJob>(40, job(1, 3, 1)));
  EXPECT_EQ(savings.saved[0]->low, 80);
  EXPECT_EQ(savings.saved[0]->high, 80);
}

TEST(Savings, are_less_certain_by_what_the_replay_misses) {
  const Savings savings = compared(std::vector<ComparedJob>(40, job(1, 3, 1.5)));
  EXPECT_EQ(savings.model_error[0], 0.5);
  EXPECT_EQ(savings.saved[0]->value, 60);
  EXPECT_EQ(savings.saved[0]->low, 40);
  EXPECT_EQ(savings.saved[0]->high, 80);
}

TEST(Savings, are_less_certain_where_jobs_differ) {
  std::vector<ComparedJob> jobs(20, job(1, 2, 1));
  jobs.insert(jobs.end(), 20, job(1, 1, 1));
  const Saving saving = *compared(jobs).saved[0];
  EXPECT_EQ(saving.value, 20);
  EXPECT_LT(saving.low, 15);
  EXPECT_GT(saving.high, 25);
}

TEST(Savings, in_shadow_mode_compare_the_truth_with_the_former_policy) {
  const Savings savings = compared({job(30, 33, 10)}, "shadow");
  EXPECT_EQ(savings.replayed()[0], 33);
  EXPECT_DOUBLE_EQ(*savings.model_error[0], 0.1);
  EXPECT_EQ(savings.saved[0]->value, 23);
}

TEST(Savings, leave_out_what_no_job_has) {
  ComparedJob without = job(1, 2, 1);
  without.happened[5] = without.former[5] = without.ours[5] = std::nullopt;
  EXPECT_FALSE(compared({without}).saved[5]);
  EXPECT_EQ(compared({without, job(4, 6, 5)}).happened[5], 4);
}

TEST(Savings, are_the_same_twice) {
  std::vector<ComparedJob> jobs;
  for (int i = 0; i < 50; ++i) jobs.push_back(job(i, i % 7, i % 5));
  EXPECT_EQ(savings_json(compared(jobs)), savings_json(compared(jobs)));
}

TEST(Savings, of_which_nothing_can_be_said_were_a_table_of_dashes) {
  const Savings savings{.mode = "shadow", .policy = "fifo", .jobs = 3, .notes = {"too few"}};
  EXPECT_EQ(savings_text(savings), "too few\n");
}

TEST(Savings, are_told_as_json_and_as_text) {
  Savings savings = compared(std::vector<ComparedJob>(40, job(1, 3, 1)));
  savings.policy = "powerflow";
  savings.notes = {"a note"};
  const auto json = nlohmann::json::parse(savings_json(savings));
  EXPECT_EQ(json["saved"]["energy_kwh"]["value"], 80);
  EXPECT_EQ(json["replayed"], json["policy_would"]);
  EXPECT_TRUE(json["from"].is_null());
  EXPECT_EQ(json["notes"][0], "a note");
  EXPECT_NE(savings_text(savings).find("80 to 80"), std::string::npos);
  const auto none = nlohmann::json::parse(savings_json({.mode = "live"}));
  EXPECT_TRUE(none["saved"]["cost"].is_null());
}

}  // namespace

}  // namespace penstock
