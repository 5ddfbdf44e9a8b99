#include "io/traces/arrange.h"

#include <gtest/gtest.h>

#include <string>

namespace penstock {
namespace {

using namespace std::chrono_literals;

const std::string kDated =
    "job,submitted,gpus,actual_s,deadline\n"
    "a,2020-01-01T02:00:00Z,4,30,2020-01-01T03:00:00Z\n"
    "b,2020-01-01T00:00:00Z,1,10,\n"
    "c,2020-01-01T01:00:00Z,2,20,\n";
const std::string kRelative = "arrival_time,length,cpus\n1,1,1\n3,1,2\n";

Trace read_arranged(const std::string& text, std::string_view format, const TraceOptions& options) {
  auto trace = parse_trace(text, "x", format, options);
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

std::vector<Duration> run_times(const Trace& trace) {
  std::vector<Duration> all;
  for (const auto& traced : trace.jobs) all.push_back(traced.actual);
  return all;
}

using Durations = std::vector<Duration>;

TEST(Arrange, sorts_by_submission_and_says_so) {
  const auto trace = read_arranged(kDated, "csv", {});
  EXPECT_EQ(run_times(trace), (Durations{10s, 20s, 30s}));
  EXPECT_EQ(trace.jobs[2].job.id, JobId{2});
  ASSERT_EQ(trace.report.notes.size(), 1u);
  EXPECT_EQ(trace.report.notes[0], "sorted: the file is not in order of submission");
}

TEST(Arrange, keeps_the_order_of_the_file_where_times_are_equal) {
  const auto trace = read_arranged(
      "submitted,gpus,actual_s\n2020-01-01,1,3\n2020-01-01,1,1\n2020-01-01,1,2\n", "csv", {});
  EXPECT_EQ(run_times(trace), (Durations{3s, 1s, 2s}));
}

TEST(Arrange, leaves_out_what_runs_too_short) {
  const auto trace = read_arranged(kDated, "csv", {.limit = 1, .min_duration = 20s});
  EXPECT_EQ(run_times(trace), (Durations{20s}));
  EXPECT_EQ(trace.report.left_out[0].reason, "option min_duration: shorter");
}

TEST(Arrange, lays_the_zero_of_a_relative_trace_on_the_start) {
  const Time start = *parse_time("2022-03-01T00:00Z");
  EXPECT_EQ(read_arranged(kRelative, "pai", {}).jobs[0].job.submitted, Time(1h));
  EXPECT_EQ(read_arranged(kRelative, "pai", {.start = start}).jobs[0].job.submitted, start + 1h);
}

TEST(Arrange, shifts_a_dated_trace_so_that_it_begins_at_the_start) {
  const Time start = *parse_time("2022-03-01T00:00Z");
  const auto trace = read_arranged(kDated, "csv", {.start = start});
  EXPECT_EQ(trace.jobs[0].job.submitted, start);
  EXPECT_EQ(trace.jobs[2].job.submitted, start + 2h);
  EXPECT_EQ(trace.jobs[2].job.deadline, start + 3h);
}

TEST(Arrange, rescales_arrivals_but_not_run_times_or_slack) {
  const auto trace = read_arranged(kDated, "csv", {.load = 2});
  const Time first = trace.jobs[0].job.submitted;
  EXPECT_EQ(trace.jobs[1].job.submitted, first + 30min);
  EXPECT_EQ(trace.jobs[2].job.submitted, first + 1h);
  EXPECT_EQ(trace.jobs[2].job.deadline, first + 2h);
  EXPECT_EQ(trace.jobs[2].actual, 30s);
}

TEST(Arrange, leaves_out_what_the_options_do_not_want_and_counts_it) {
  EXPECT_EQ(run_times(read_arranged(kDated, "csv", {.limit = 2})), (Durations{10s, 20s}));
  EXPECT_EQ(run_times(read_arranged(kDated, "csv", {.gpus_max = 2})), (Durations{10s, 20s}));
  const Time one = *parse_time("2020-01-01T01:00Z");
  EXPECT_EQ(run_times(read_arranged(kDated, "csv", {.from = one})), (Durations{20s, 30s}));
  const auto early = read_arranged(kDated, "csv", {.until = one});
  EXPECT_EQ(run_times(early), (Durations{10s}));
  ASSERT_EQ(early.report.left_out.size(), 1u);
  EXPECT_EQ(early.report.left_out[0].reason, "option until: submitted then or later");
  EXPECT_EQ(early.report.left_out[0].count, 2u);
  EXPECT_EQ(early.report.rows_read, 3u);
  EXPECT_EQ(early.report.rows_kept, 1u);
}

TEST(Arrange, draws_requests_between_the_run_time_and_its_multiple) {
  const auto exact = read_arranged(kRelative, "pai", {});
  EXPECT_EQ(exact.jobs[0].job.requested, exact.jobs[0].actual);
  const TraceOptions options{.request_factor = 5, .seed = 3};
  const auto drawn = read_arranged(kRelative, "pai", options);
  for (const auto& traced : drawn.jobs) {
    EXPECT_GE(traced.job.requested, 1h);
    EXPECT_LE(traced.job.requested, 5h);
  }
  EXPECT_NE(drawn.jobs[0].job.requested, drawn.jobs[1].job.requested);
  EXPECT_EQ(drawn.jobs[0].job.requested,
            read_arranged(kRelative, "pai", options).jobs[0].job.requested);
}

TEST(Arrange, gives_the_children_of_a_job_left_out_its_parents) {
  const std::string text =
      "job,submitted,gpus,actual_s,parents\n"
      "a,2020-01-01,1,1,\nb,2020-01-01,8,2,a\nc,2020-01-01,1,3,b\n";
  const auto trace = read_arranged(text, "csv", {.gpus_max = 4});
  ASSERT_EQ(trace.jobs.size(), 2u);
  EXPECT_EQ(trace.jobs[1].job.parents, std::vector{JobId{0}});
}

TEST(Arrange, never_submits_a_job_before_its_parents) {
  const std::string text =
      "job,submitted,gpus,actual_s,parents\n"
      "a,2020-01-02,1,1,\nb,2020-01-01,1,2,a\n";
  const auto trace = read_arranged(text, "csv", {});
  EXPECT_EQ(trace.jobs[1].job.submitted, trace.jobs[0].job.submitted);
  EXPECT_EQ(trace.jobs[1].job.parents, std::vector{JobId{0}});
  EXPECT_EQ(trace.report.notes.at(0),
            "1 jobs were submitted before their parents and are moved to them");
}

TEST(Arrange, wonders_about_a_unit_that_cannot_be) {
  const auto trace = read_arranged("arrival_time,length,cpus\n0,3600,1\n", "pai", {});
  EXPECT_EQ(trace.report.notes.at(0),
            "half of the jobs run 150 days or longer: is the file really in hours?");
}

TEST(TraceOptions, must_make_sense) {
  const auto message = [](const TraceOptions& options) {
    return parse_trace(kRelative, "x", "pai", options).error().message;
  };
  EXPECT_EQ(message({.load = 0}), "load: must be between 0.001 and 1000");
  EXPECT_EQ(message({.request_factor = 0.5}), "request_factor: must be between 1 and 1000000");
  EXPECT_EQ(message({.limit = 0}), "limit: must be at least 1");
  EXPECT_EQ(message({.start = Time(-1h)}), "start: lies before 1970");
  EXPECT_EQ(message({.from = Time(2h), .until = Time(1h)}), "until: must lie after from");
}

TEST(Arrange, skips_jobs_before_it_counts_the_limit) {
  const auto middle = read_arranged(kDated, "csv", {.skip = 1, .limit = 1});
  EXPECT_EQ(run_times(middle), (Durations{20s}));
  EXPECT_EQ(middle.jobs[0].job.id, JobId{0});
  ASSERT_EQ(middle.report.left_out.size(), 2u);
  EXPECT_EQ(middle.report.left_out[0].reason, "option skip: among the first 1");
  EXPECT_EQ(middle.report.left_out[1].reason, "option limit: behind 1 after the skipped");
  // What other options leave out is not counted.
  EXPECT_EQ(run_times(read_arranged(kDated, "csv", {.skip = 1, .gpus_max = 2})), (Durations{20s}));
}

TEST(Arrange, a_part_of_a_trace_lies_where_it_lies_in_the_whole) {
  const Time start = *parse_time("2022-03-01T00:00Z");
  const TraceOptions whole{.start = start, .load = 2, .request_factor = 5};
  TraceOptions part = whole;
  part.skip = 2;
  const auto all = read_arranged(kDated, "csv", whole);
  const auto last = read_arranged(kDated, "csv", part);
  EXPECT_EQ(last.jobs[0].job.submitted, all.jobs[2].job.submitted);
  EXPECT_EQ(last.jobs[0].job.deadline, all.jobs[2].job.deadline);
  EXPECT_EQ(last.jobs[0].job.requested, all.jobs[2].job.requested);
}

TEST(Arrange, says_how_many_jobs_can_be_skipped) {
  const auto nothing = parse_trace(kDated, "x", "csv", {.skip = 3});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "x: skip: 3 of 3 jobs leaves none; possible: at most 2");
}

}  // namespace
}  // namespace penstock
