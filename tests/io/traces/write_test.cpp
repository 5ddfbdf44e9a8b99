#include "io/traces/write.h"

#include <gtest/gtest.h>

#include <sstream>

#include "io/traces/trace.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Jobs that use every column, and names that a careless table would break.
std::vector<TracedJob> odd_jobs() {
  TracedJob plain{.job = {.submitted = Time(1500000000123ms), .gpus = 2, .requested = 90s},
                  .actual = 61234ms};
  TracedJob odd{.job = {.id = JobId{1},
                        .submitted = Time(1500000000500ms),
                        .gpus = 128,
                        .requested = 1ms,
                        .deadline = Time(1500000001001ms),
                        .priority = -0.1,
                        .tardiness_weight = MoneyRate(1.0 / 3),
                        .parents = {JobId{0}},
                        .name = "a,b \"c\"",
                        .user = " blank ",
                        .group = "6214e9",
                        .kind = "#hash",
                        .batch = 0.1 + 0.2},
                .actual = 7ms,
                .load = 0.47,
                .gpu_spec = "V100M16|V100M32"};
  return {plain, odd};
}

Trace read_back(const std::string& text, std::string_view format) {
  auto trace = parse_trace(text, "x", format, {});
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

void expect_same(const TracedJob& a, const TracedJob& b) {
  EXPECT_EQ(a.job.id, b.job.id);
  EXPECT_EQ(a.job.submitted, b.job.submitted);
  EXPECT_EQ(a.job.gpus, b.job.gpus);
  EXPECT_EQ(a.job.requested, b.job.requested);
  EXPECT_EQ(a.job.deadline, b.job.deadline);
  EXPECT_EQ(a.job.priority, b.job.priority);
  EXPECT_EQ(a.job.tardiness_weight, b.job.tardiness_weight);
  EXPECT_EQ(a.job.parents, b.job.parents);
  EXPECT_EQ(a.job.name, b.job.name);
  EXPECT_EQ(a.job.user, b.job.user);
  EXPECT_EQ(a.job.group, b.job.group);
  EXPECT_EQ(a.job.kind, b.job.kind);
  EXPECT_EQ(a.job.batch, b.job.batch);
  EXPECT_EQ(a.actual, b.actual);
  EXPECT_EQ(a.load, b.load);
  EXPECT_EQ(a.gpu_spec, b.gpu_spec);
}

TEST(WriteCsv, is_read_back_exactly) {
  std::ostringstream out;
  write_csv(out, odd_jobs());
  const auto trace = read_back(out.str(), "csv");
  ASSERT_EQ(trace.jobs.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) expect_same(trace.jobs[i], odd_jobs()[i]);
}

TEST(WriteCsv, keeps_every_job_of_every_sample) {
  const std::pair<const char*, const char*> samples[] = {{"philly.csv", "philly"},
                                                         {"lisa.swf", "swf"},
                                                         {"openb.csv", "openb"},
                                                         {"gavel7.trace", "gavel"},
                                                         {"elasticflow.csv", "elasticflow"},
                                                         {"wfformat.json", "wfformat"}};
  for (const auto& [file, format] : samples) {
    const auto trace =
        read_trace(std::string(PENSTOCK_TEST_DIR "/samples/traces/") + file, format, {});
    ASSERT_TRUE(trace) << trace.error().message;
    std::ostringstream out;
    write_csv(out, trace->jobs);
    const auto again = read_back(out.str(), "csv");
    ASSERT_EQ(again.jobs.size(), trace->jobs.size());
    for (std::size_t i = 0; i < again.jobs.size(); ++i) expect_same(again.jobs[i], trace->jobs[i]);
  }
}

TEST(WriteSwf, keeps_submissions_sizes_run_times_and_requests) {
  std::ostringstream out;
  write_swf(out, odd_jobs());
  const auto trace = read_back(out.str(), "swf");
  ASSERT_EQ(trace.jobs.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(trace.jobs[i].job.submitted, odd_jobs()[i].job.submitted);
    EXPECT_EQ(trace.jobs[i].job.gpus, odd_jobs()[i].job.gpus);
    EXPECT_EQ(trace.jobs[i].actual, odd_jobs()[i].actual);
    EXPECT_EQ(trace.jobs[i].job.requested, odd_jobs()[i].job.requested);
  }
  EXPECT_EQ(trace.jobs[1].job.group, "1");
  EXPECT_EQ(trace.jobs[0].job.group, "");
}

TEST(WriteSwf, has_eighteen_fields_a_line) {
  std::ostringstream out;
  write_swf(out, odd_jobs());
  EXPECT_EQ(out.str(),
            "; Version: 2.2\n"
            "; Note: written by penstock; processors are GPUs\n"
            "; MaxJobs: 2\n"
            "; UnixStartTime: 1500000000\n"
            "1 0.123 -1 61.234 2 -1 -1 2 90 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
            "2 0.500 -1 0.007 128 -1 -1 128 0.001 -1 1 1 1 1 -1 -1 -1 -1\n");
}

}  // namespace
}  // namespace penstock
