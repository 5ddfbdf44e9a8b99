#include "learn/mars/history.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Job job_at(int seconds, std::uint32_t gpus) {
  return {.submitted = Time(std::chrono::seconds(seconds)), .gpus = gpus, .requested = 60s};
}

TEST(History, knows_nothing_at_first) {
  const History history(10);
  Rng rng(1);
  EXPECT_TRUE(history.sample_arrivals(Time{}, 5, rng).empty());
  EXPECT_EQ(history.sample_run_time(60s, 0s, 0.5), Duration(60s));
  EXPECT_EQ(history.sample_run_time(60s, 90s, 0.5), Duration(90s));
}

TEST(History, lets_jobs_run_as_long_as_others_did) {
  History history(3);
  for (const double part : {0.9, 0.1, 0.5, 0.2}) history.add_end(part);  // the first is forgotten
  EXPECT_EQ(history.sample_run_time(100s, 0s, 0.0), Duration(10s));
  EXPECT_EQ(history.sample_run_time(100s, 0s, 0.5), Duration(20s));
  EXPECT_EQ(history.sample_run_time(100s, 0s, 0.99), Duration(50s));
  EXPECT_EQ(history.sample_run_time(100s, 30s, 0.0), Duration(50s));   // of those who ran longer
  EXPECT_EQ(history.sample_run_time(100s, 60s, 0.0), Duration(100s));  // nobody did
}

TEST(History, repeats_arrivals_in_a_row) {
  History history(3);
  for (int i = 0; i < 5; ++i) history.add_arrival(job_at(i * i, static_cast<std::uint32_t>(i + 1)));
  Rng rng(1);
  const auto coming = history.sample_arrivals(Time(1000s), 9, rng);  // three are remembered
  ASSERT_EQ(coming.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i) {  // after the last comes the first
    const std::uint32_t before = coming[i - 1].what.gpus;
    EXPECT_EQ(coming[i].what.gpus, before == 5 ? 3 : before + 1);
    EXPECT_EQ(coming[i].when - coming[i - 1].when, coming[i].what.gap);
  }
  EXPECT_GT(coming[0].when, Time(1000s));
}

Job task_of_workflow(std::uint32_t id, int seconds, std::vector<JobId> parents) {
  Job job = job_at(seconds, id + 1);
  job.id = JobId{id};
  job.parents = std::move(parents);
  return job;
}

TEST(History, repeats_workflows_as_wholes) {
  History history(4);
  history.add_arrival(task_of_workflow(0, 0, {}));
  history.add_arrival(task_of_workflow(1, 9, {}));
  history.add_arrival(task_of_workflow(2, 9, {JobId{1}}));
  history.add_arrival(task_of_workflow(3, 9, {JobId{1}, JobId{2}}));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const auto coming =
        history.sample_arrivals(Time(1009s), 4, rng);  // in silence for longer than ever
    ASSERT_EQ(coming.size(), 4u);
    for (std::uint32_t i = 0; i < coming.size(); ++i) {
      const std::uint32_t job = coming[i].what.gpus - 1;
      std::vector<std::uint32_t> back;  // of the parents that are in the row, before it
      if (job == 2 && i >= 1) back = {1};
      if (job == 3 && i >= 2) back = {2, 1};
      if (job == 3 && i == 1) back = {1};
      EXPECT_EQ(coming[i].what.parents_back, back) << "job " << job << " at " << i;
    }
  }
}

TEST(History, forgets_parents_that_came_too_long_before) {
  History history(2);
  history.add_arrival(task_of_workflow(0, 0, {}));
  history.add_arrival(task_of_workflow(1, 0, {JobId{0}}));
  history.add_arrival(task_of_workflow(2, 0, {JobId{0}, JobId{1}}));
  Rng rng(1);
  for (const auto& [when, what] : history.sample_arrivals(Time{}, 2, rng))
    EXPECT_LE(what.parents_back.size(), 1u);
}

TEST(History, lets_the_next_job_come_after_a_silence_that_has_been) {
  History history(10);
  for (const int second : {0, 10, 20, 120, 130}) history.add_arrival(job_at(second, 1));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);  // one gap of 100 s is longer than 40 s
    EXPECT_EQ(history.sample_arrivals(Time(170s), 3, rng).front().when, Time(230s));
    EXPECT_EQ(history.sample_arrivals(Time(330s), 3, rng).front().when,
              Time(530s));  // as long again
  }
}

TEST(History, begins_with_what_was_before) {
  std::vector<TracedJob> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back({.job = job_at(i * 10, 1), .actual = 30s});
  const PastJobs past = past_of(jobs, 100);
  EXPECT_EQ(past.arrivals.size(), 4u);
  EXPECT_EQ(past.parts, std::vector<double>(4, 0.5));
  const History history(10, past);
  Rng rng(1);
  EXPECT_EQ(history.sample_arrivals(Time{}, 5, rng).size(), 4u);
  EXPECT_EQ(history.sample_run_time(20s, 0s, 0.3), Duration(10s));
}

TEST(PastOf, knows_who_waited_for_whom) {
  std::vector<TracedJob> jobs;
  jobs.push_back({.job = task_of_workflow(0, 0, {}), .actual = 30s});
  jobs.push_back({.job = task_of_workflow(1, 0, {}), .actual = 30s});
  jobs.push_back({.job = task_of_workflow(2, 0, {JobId{0}, JobId{9}}), .actual = 30s});
  EXPECT_EQ(past_of(jobs, 100).arrivals[2].parents_back, std::vector<std::uint32_t>{2});
}

TEST(PastOf, takes_rows_from_here_and_there_where_there_are_many) {
  std::vector<TracedJob> jobs;
  for (int i = 0; i < 1000; ++i) jobs.push_back({.job = job_at(i, i < 500 ? 1 : 2), .actual = 30s});
  const PastJobs past = past_of(jobs, 80);
  ASSERT_EQ(past.arrivals.size(), 80u);
  EXPECT_EQ(past.arrivals[0].gpus, 1u);
  EXPECT_EQ(past.arrivals[79].gpus, 2u);
  EXPECT_EQ(past.arrivals[1].gap, Duration(1s));
  EXPECT_EQ(past.arrivals[10].gap, Duration(0s));  // another row begins
}

}  // namespace
}  // namespace penstock
