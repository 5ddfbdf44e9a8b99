#include "io/traces/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kGenerateMany = 50'000;

/// Sums over a generated trace, none of whose jobs is kept.
struct Sums {
  double span = 0;
  double run_time = 0;
  std::map<std::uint32_t, double> share{};
  std::map<int, int> by_hour{};
};

Sums sums_of(const GeneratorSpec& spec) {
  Sums sums;
  GeneratedSource source(spec);
  const auto count = static_cast<double>(spec.jobs);
  while (const auto traced = source.next()) {
    sums.span = seconds(traced->job.submitted - spec.start);
    sums.run_time += seconds(traced->actual) / count;
    sums.share[traced->job.gpus] += 1 / count;
    const auto since = traced->job.submitted.time_since_epoch();
    ++sums.by_hour[static_cast<int>(since / 1h % 24)];
  }
  return sums;
}

TEST(Generate, arrivals_have_the_mean_that_was_asked_for) {
  for (const auto arrivals : {Arrivals::poisson, Arrivals::uniform, Arrivals::diurnal}) {
    const GeneratorSpec spec{.jobs = kGenerateMany, .arrivals = arrivals, .mean_gap = 30s};
    const double mean = sums_of(spec).span / static_cast<double>(kGenerateMany - 1);
    EXPECT_NEAR(mean, 30, 30 * 0.02);
  }
}

TEST(Generate, diurnal_arrivals_are_densest_in_the_afternoon) {
  auto jobs =
      sums_of({.jobs = kGenerateMany, .arrivals = Arrivals::diurnal, .mean_gap = 30s}).by_hour;
  EXPECT_GT(jobs[15], 5 * jobs[3]);  // (1 + 0.8) / (1 - 0.8) is 9
}

TEST(Generate, log_normal_run_times_have_their_theoretical_mean) {
  const GeneratorSpec spec{.jobs = kGenerateMany, .durations = LogNormalDurations{10min, 1.0}};
  const double expected = 600 * std::exp(0.5);
  EXPECT_NEAR(sums_of(spec).run_time, expected, expected * 0.02);
}

TEST(Generate, fitted_run_times_have_the_mean_of_their_trace) {
  Trace trace;
  double expected = 0;
  for (int i = 1; i <= 10'000; ++i) {
    trace.jobs.push_back({.actual = Duration(i * i)});
    expected += i * i / 1e3 / 10'000;
  }
  const GeneratorSpec spec{.jobs = kGenerateMany, .durations = fit_durations(trace)};
  EXPECT_NEAR(sums_of(spec).run_time, expected, expected * 0.02);
}

TEST(Generate, sizes_follow_their_weights) {
  auto share = sums_of({.jobs = kGenerateMany}).share;
  EXPECT_NEAR(share[1], 0.83, 0.83 * 0.02);
  EXPECT_NEAR(share[8], 0.10, 0.10 * 0.06);
  EXPECT_NEAR(share[16], 0.01, 0.002);
}

TEST(Generate, the_same_seed_gives_the_same_jobs_and_another_seed_others) {
  const GeneratorSpec spec{
      .jobs = 100, .seed = 5, .deadline_slack = std::pair(1.2, 2.0), .tardiness_per_s = 0.5};
  const auto a = generate(spec).jobs;
  const auto b = generate(spec).jobs;
  auto other = spec;
  other.seed = 6;
  EXPECT_EQ(a[99].job.submitted, b[99].job.submitted);
  EXPECT_EQ(a[99].job.deadline, b[99].job.deadline);
  EXPECT_EQ(a[99].job.tardiness_weight, MoneyRate(0.5));
  EXPECT_NE(a[99].job.submitted, generate(other).jobs[99].job.submitted);
}

TEST(Generate, deadlines_and_requests_lie_in_their_ranges) {
  const auto trace =
      generate({.jobs = 1000, .deadline_slack = std::pair(1.5, 2.0), .request_factor = 3});
  for (const auto& traced : trace.jobs) {
    const double slack =
        seconds(*traced.job.deadline - traced.job.submitted) / seconds(traced.actual);
    EXPECT_GE(slack, 1.49);
    EXPECT_LE(slack, 2.01);
    EXPECT_GE(traced.job.requested, traced.actual);
    EXPECT_LE(seconds(traced.job.requested), 3 * seconds(traced.actual) + 0.001);
  }
  EXPECT_EQ(trace.jobs.front().job.submitted, Time{});
  EXPECT_EQ(trace.report.rows_kept, 1000u);
}

TEST(Generate, lists_all_that_is_wrong_with_a_specification) {
  const GeneratorSpec spec{.jobs = 0,
                           .mean_gap = 0ms,
                           .durations = LogNormalDurations{0ms, -1},
                           .sizes = {{0, 1}},
                           .request_factor = 0};
  EXPECT_EQ(check(spec).error().message,
            "jobs: must be between 1 and 4294967295\n"
            "mean_gap: must be positive\n"
            "request_factor: must be between 1 and 1000000\n"
            "median: must be positive\n"
            "sigma: must be between 0 and 10\n"
            "sizes: a job needs at least one GPU");
  EXPECT_EQ(parse_arrivals("daily").error().message,
            "no arrivals 'daily'; there are: poisson exponential diurnal uniform");
}

TEST(Generate, skipped_jobs_are_those_that_would_have_come_first) {
  const Trace all = generate({.jobs = 10, .seed = 3, .request_factor = 2});
  const Trace last = generate({.jobs = 3, .skip = 7, .seed = 3, .request_factor = 2});
  ASSERT_EQ(last.jobs.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(last.jobs[i].job.id, JobId{i});
    EXPECT_EQ(last.jobs[i].job.name, all.jobs[i + 7].job.name);
    EXPECT_EQ(last.jobs[i].job.submitted, all.jobs[i + 7].job.submitted);
    EXPECT_EQ(last.jobs[i].job.requested, all.jobs[i + 7].job.requested);
    EXPECT_EQ(last.jobs[i].actual, all.jobs[i + 7].actual);
  }
}

}  // namespace
}  // namespace penstock
