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
  EXPECT_TRUE(history.may_come(Time{}, 5, rng).empty());
  EXPECT_EQ(history.may_run(60s, 0s, 0.5), Duration(60s));
  EXPECT_EQ(history.may_run(60s, 90s, 0.5), Duration(90s));
}

TEST(History, lets_jobs_run_as_long_as_others_did) {
  History history(3);
  for (const double part : {0.9, 0.1, 0.5, 0.2}) history.saw_end(part);  // the first is forgotten
  EXPECT_EQ(history.may_run(100s, 0s, 0.0), Duration(10s));
  EXPECT_EQ(history.may_run(100s, 0s, 0.5), Duration(20s));
  EXPECT_EQ(history.may_run(100s, 0s, 0.99), Duration(50s));
  EXPECT_EQ(history.may_run(100s, 30s, 0.0), Duration(50s));   // of those who ran longer
  EXPECT_EQ(history.may_run(100s, 60s, 0.0), Duration(100s));  // nobody did
}

TEST(History, repeats_arrivals_in_a_row) {
  History history(3);
  for (int i = 0; i < 5; ++i) history.saw(job_at(i * i, static_cast<std::uint32_t>(i + 1)));
  Rng rng(1);
  const auto coming = history.may_come(Time(1000s), 9, rng);  // three are remembered
  ASSERT_EQ(coming.size(), 3u);
  EXPECT_EQ(coming[0].what.gpus, 3u);
  EXPECT_EQ(coming[2].what.gpus, 5u);
  EXPECT_EQ(coming[1].when - coming[0].when, Duration(5s));
  EXPECT_EQ(coming[2].when - coming[1].when, Duration(7s));
  EXPECT_GT(coming[0].when, Time(1000s));
}

TEST(History, begins_with_what_was_before) {
  std::vector<TracedJob> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back({.job = job_at(i * 10, 1), .actual = 30s});
  const PastJobs past = past_of(jobs, 100);
  EXPECT_EQ(past.arrivals.size(), 4u);
  EXPECT_EQ(past.parts, std::vector<double>(4, 0.5));
  const History history(10, past);
  Rng rng(1);
  EXPECT_EQ(history.may_come(Time{}, 5, rng).size(), 4u);
  EXPECT_EQ(history.may_run(20s, 0s, 0.3), Duration(10s));
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
