#include "live/site/shown_jobs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::json;

json record(int number, const std::string& state) {
  return {{"job", number}, {"ref", std::to_string(number)}, {"state", state}};
}

std::string summary(const ShownJobs& shown) {
  std::string text;
  for (const auto& [number, each] : shown.all())
    text += std::to_string(number) + (each.fresh ? "!" : "") + each.job.state + " ";
  return text;
}

TEST(ShownJobs, an_answer_without_news_is_all_that_there_is) {
  ShownJobs shown;
  shown.take({{"jobs", {record(1, "pending"), record(2, "running")}}});
  EXPECT_EQ(summary(shown), "1!pending 2!running ");
  shown.take({{"jobs", {record(2, "running")}}});
  EXPECT_EQ(summary(shown), "2!running ");
}

TEST(ShownJobs, news_change_what_was_shown_and_take_away_what_is_gone) {
  ShownJobs shown;
  shown.take({{"jobs", {record(1, "pending"), record(2, "running"), record(3, "pending")}}});
  shown.take({{"news", true}, {"jobs", {record(3, "running")}}, {"gone", {2, 9}}});
  EXPECT_EQ(summary(shown), "1pending 3!running ");
}

TEST(ShownJobs, one_job_may_be_told_between_two_polls) {
  ShownJobs shown;
  shown.take({{"jobs", {record(1, "pending")}}});
  shown.take_one(*read_slurm_job(record(1, "running")));
  shown.take({{"news", true}, {"jobs", json::array()}, {"gone", json::array()}});
  EXPECT_EQ(summary(shown), "1running ");
}

TEST(ShownJobs, whatever_is_gone_that_is_no_number_is_passed_over) {
  ShownJobs shown;
  shown.take({{"jobs", {record(1, "pending")}}});
  shown.take({{"news", true}, {"gone", {"1", nullptr, json::object()}}});
  EXPECT_EQ(summary(shown), "1pending ");
}

TEST(ShownJobs, tasks_that_wait_together_are_called_one_by_one) {
  SlurmJob array{.number = 5, .ref = "5", .array_tasks = "0,2-3", .array_job = 5};
  EXPECT_EQ(refs_of(array), (std::vector<std::string>{"5_0", "5_2", "5_3"}));
  array.phase = SlurmJob::Phase::ended;
  EXPECT_EQ(refs_of(array), (std::vector<std::string>{"5"}));
}

}  // namespace
}  // namespace penstock
