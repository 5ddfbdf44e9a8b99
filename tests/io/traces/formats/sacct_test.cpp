#include "io/traces/formats/sacct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "io/traces/trace.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

Trace sample(const std::string& file) {
  auto trace = read_trace(PENSTOCK_TEST_DIR "/samples/traces/" + file, "sacct", {});
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

const TracedJob& sacct_job_named(const Trace& trace, std::string_view name) {
  const auto at =
      std::ranges::find(trace.jobs, name, [](const TracedJob& traced) { return traced.job.name; });
  EXPECT_NE(at, trace.jobs.end()) << name;
  return *at;
}

std::uint64_t left_out(const Trace& trace, const std::string& reason) {
  const auto at = std::ranges::find(trace.report.left_out, reason, &DroppedRows::reason);
  return at == trace.report.left_out.end() ? 0 : at->count;
}

TEST(SqueueJson, gives_jobs_as_a_real_slurm_ran_them) {
  const Trace trace = sample("squeue.json");
  const TracedJob& first = sacct_job_named(trace, "1");
  EXPECT_EQ(first.job.gpus, 2u);
  EXPECT_EQ(first.gpu_spec, "a100");
  EXPECT_EQ(first.actual, 5s);
  EXPECT_EQ(first.job.requested, 10min);
  EXPECT_EQ(first.job.user, "alice");
  EXPECT_EQ(first.job.group, "vision");
  EXPECT_EQ(first.job.kind, "resnet50");
  EXPECT_EQ(first.job.submitted, Time(1794846599s));
  EXPECT_EQ(sacct_job_named(trace, "2").job.gpus, 8u);  // four on each of two nodes
  EXPECT_EQ(sacct_job_named(trace, "4").job.gpus, 3u);  // --gpus=3
  EXPECT_EQ(sacct_job_named(trace, "8").job.gpus, 4u);  // two for each of two tasks
  EXPECT_EQ(sacct_job_named(trace, "3_1").job.gpus, 1u);
  EXPECT_EQ(sacct_job_named(trace, "7").job.requested, 6s);  // without a limit: what it took
  EXPECT_TRUE(trace.report.notes.empty() ||
              trace.report.notes.front().find("zone") == std::string::npos);
}

TEST(SqueueJson, counts_jobs_that_have_not_ended_or_never_ran) {
  const Trace trace = sample("squeue.json");
  EXPECT_EQ(left_out(trace, "job_state: RUNNING, the job has not ended"), 1u);
  EXPECT_EQ(left_out(trace, "job_state: PENDING, the job has not ended"), 2u);
  EXPECT_EQ(left_out(trace, "start_time: the job never ran"), 1u);
  EXPECT_EQ(left_out(trace, "tres: a job without GPUs"), 1u);
}

TEST(SacctJson, reads_sizes_and_times_and_counts_the_rest) {
  const Trace trace = sample("sacct.json");
  const TracedJob& first = sacct_job_named(trace, "101");
  EXPECT_EQ(first.job.gpus, 4u);
  EXPECT_EQ(first.gpu_spec, "a100");
  EXPECT_EQ(first.actual, 1h);
  EXPECT_EQ(first.job.requested, 2h);
  EXPECT_EQ(format_time(first.job.submitted), "2024-03-01T00:00:00Z");
  EXPECT_EQ(sacct_job_named(trace, "103_1").actual, 30s);
  EXPECT_EQ(left_out(trace, "state: RUNNING, the job has not ended"), 1u);
  EXPECT_EQ(left_out(trace, "state: PENDING, the job has not ended"), 1u);
  EXPECT_EQ(left_out(trace, "start_time: the job never ran"), 1u);
}

TEST(SacctJson, reads_the_wrapped_numbers_and_lists_of_later_versions) {
  const auto trace = parse_trace(
      R"({"jobs": [{"job_id": 5, "array_job_id": {"set": true, "number": 4},
          "array_task_id": {"set": true, "infinite": false, "number": 1},
          "job_state": ["COMPLETED"], "submit_time": {"set": true, "number": 100},
          "start_time": {"set": true, "number": 110}, "end_time": {"set": true, "number": 170},
          "time_limit": {"set": false, "infinite": true, "number": 0}, "restart_cnt": 1,
          "tres_alloc_str": "cpu=4,gres/gpu:h100=2"}]})",
      "x", "sacct", {});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->jobs[0].job.name, "4_1");
  EXPECT_EQ(trace->jobs[0].actual, 60s);
  EXPECT_EQ(trace->jobs[0].job.requested, 60s);
  EXPECT_EQ(trace->jobs[0].job.gpus, 2u);
  EXPECT_EQ(trace->report.notes.front(),
            "1 jobs were started more than once; only the last run is in the file");
}

TEST(SacctJson, is_recognised) {
  for (const std::string file : {"squeue.json", "sacct.json"}) {
    std::ifstream in(PENSTOCK_TEST_DIR "/samples/traces/" + file);
    std::stringstream text;
    text << in.rdbuf();
    const auto guess = guess_format(text.str());
    ASSERT_TRUE(guess) << file;
    EXPECT_EQ(guess->format, "sacct");
  }
}

TEST(Tres, counts_gpus_however_they_are_written) {
  EXPECT_EQ(gpus_in_tres("cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G").count, 4u);
  EXPECT_EQ(gpus_in_tres("gres/gpu:a100=1,gres/gpu:v100=2").types, "a100|v100");
  EXPECT_EQ(gpus_in_tres("gres/gpumem=4,billing=2").count, 0u);
  EXPECT_EQ(gpus_in_gres("gres:gpu:a100:2").count, 2u);
  EXPECT_EQ(gpus_in_gres("gres:gpu:a100").count, 1u);
  EXPECT_EQ(gpus_in_gres("gpu").count, 1u);
  EXPECT_EQ(gpus_in_gres("gres:shard:4,gres:gpu:3").count, 3u);
  EXPECT_EQ(gpus_in_gres("").count, 0u);
}

}  // namespace
}  // namespace penstock
