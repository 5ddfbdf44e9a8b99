#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "io/traces/trace.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

struct Sample {
  std::string file{};
  std::string format{};
  std::uint64_t rows = 0;
  std::uint64_t jobs = 0;
};

const Sample kSamples[] = {
    {"philly.csv", "philly", 20, 20},
    {"philly_log.json", "philly", 6, 5},
    {"eagle.swf", "swf", 20, 20},
    {"lisa.swf", "swf", 20, 20},
    {"helios.csv", "helios", 20, 16},
    {"pai.csv", "pai", 20, 20},
    {"openb.csv", "openb", 20, 15},
    {"gavel7.trace", "gavel", 20, 20},
    {"gavel10.trace", "gavel", 15, 15},
    {"pollux.csv", "pollux", 20, 20},
    {"elasticflow.csv", "elasticflow", 20, 20},
    {"chronus.csv", "chronus", 20, 19},
    {"batsim.json", "batsim", 20, 20},
    {"wfformat.json", "wfformat", 8, 8},
    {"andreas.csv", "andreas", 5, 5},
    {"sacct.txt", "sacct", 20, 8},
    {"sacct.json", "sacct", 9, 5},
    {"squeue.json", "sacct", 14, 9},
};

Trace read_sample(const std::string& file, const std::string& format) {
  auto trace = read_trace(PENSTOCK_TEST_DIR "/samples/traces/" + file, format, {.strict = false});
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

const TracedJob& sample_job_named(const Trace& trace, std::string_view name) {
  const auto at =
      std::ranges::find(trace.jobs, name, [](const TracedJob& traced) { return traced.job.name; });
  EXPECT_NE(at, trace.jobs.end()) << name;
  return *at;
}

TEST(EverySample, has_the_rows_and_jobs_we_counted) {
  for (const auto& sample : kSamples) {
    const auto trace = read_sample(sample.file, sample.format);
    EXPECT_EQ(trace.report.rows_read, sample.rows) << sample.file;
    EXPECT_EQ(trace.report.rows_kept, sample.jobs) << sample.file;
    EXPECT_EQ(trace.jobs.size(), sample.jobs) << sample.file;
  }
}

TEST(EverySample, gives_jobs_in_order_with_ids_requests_and_earlier_parents) {
  for (const auto& sample : kSamples) {
    const auto trace = read_sample(sample.file, sample.format);
    Time last{};
    for (std::uint32_t i = 0; i < trace.jobs.size(); ++i) {
      const auto& [job, actual, work, load, spec, runs, least, most] = trace.jobs[i];
      EXPECT_TRUE(runs.empty() && least == 0 && most == 0);
      EXPECT_EQ(job.id, JobId{i});
      EXPECT_GE(job.submitted, last);
      EXPECT_GT(job.gpus, 0u);
      EXPECT_GT(actual, 0ms);
      EXPECT_GT(job.requested, 0ms);
      for (const JobId parent : job.parents) EXPECT_LT(parent, job.id);
      last = job.submitted;
    }
  }
}

TEST(EveryFormat, has_a_sample_but_our_own) {
  for (const auto& format : all_trace_formats()) {
    if (format.name == "csv") continue;      // write_test reads what was written
    if (format.name == "journal") continue;  // a database: tests/journal/journal_trace_test.cpp
    EXPECT_TRUE(std::ranges::any_of(kSamples, [&](const auto& s) {
      return s.format == format.name;
    })) << format.name;
  }
}

TEST(EveryFormat, refuses_an_empty_file_and_rubbish) {
  for (const auto& format : all_trace_formats()) {
    EXPECT_FALSE(parse_trace("", "x", format.name, {})) << format.name;
    EXPECT_FALSE(parse_trace("rubbish\n,,,\n", "x", format.name, {})) << format.name;
    EXPECT_FALSE(parse_trace("{\"a\": [1,2", "x", format.name, {})) << format.name;
  }
}

TEST(Philly, keeps_a_virtual_cluster_that_looks_like_a_number_as_text) {
  const auto trace = read_sample("philly.csv", "philly");
  const auto& second = sample_job_named(trace, "2");
  EXPECT_EQ(second.job.group, "6214e9");
  EXPECT_EQ(format_time(second.job.submitted), "2017-10-09T06:13:03Z");
  EXPECT_EQ(second.actual, 2951s);
  EXPECT_EQ(second.job.requested, 2951s);
  EXPECT_EQ(second.job.gpus, 1u);
}

TEST(Philly, log_adds_up_the_attempts_of_a_job) {
  const auto trace = read_sample("philly_log.json", "philly");
  const auto& two_attempts = sample_job_named(trace, "application_1506638472019_10253");
  EXPECT_EQ(two_attempts.actual, 10min + 20min);
  EXPECT_EQ(two_attempts.job.gpus, 8u);  // two machines of four
  EXPECT_EQ(two_attempts.job.user, "user3");
  EXPECT_EQ(trace.report.left_out.at(0).reason, "attempts: none, the job never ran");
}

TEST(Swf, takes_the_larger_of_both_sizes_and_the_requested_time) {
  const auto trace = read_sample("eagle.swf", "swf");
  const auto& job = sample_job_named(trace, "51");
  EXPECT_EQ(job.job.submitted, Time(12775s));
  EXPECT_EQ(job.actual, 418s);
  EXPECT_EQ(job.job.requested, 1800s);
  EXPECT_EQ(job.job.gpus, 35u);
  EXPECT_EQ(job.job.user, "2");
  EXPECT_FALSE(trace.report.dated);
}

TEST(Swf, counts_from_the_unix_start_time_of_its_head) {
  const auto trace = read_sample("lisa.swf", "swf");
  EXPECT_EQ(format_time(trace.jobs.at(0).job.submitted), "2022-09-30T22:00:00Z");
  EXPECT_EQ(trace.jobs.at(0).job.requested, 1194s);  // unknown: the run time
  EXPECT_TRUE(trace.jobs.at(0).job.user.empty());
  EXPECT_TRUE(trace.report.dated);
}

TEST(Helios, leaves_out_jobs_without_gpus_and_says_so) {
  const auto trace = read_sample("helios.csv", "helios");
  const auto& job = sample_job_named(trace, "345001");
  EXPECT_EQ(job.actual, 3601s);
  EXPECT_EQ(job.job.gpus, 8u);
  EXPECT_EQ(job.job.user, "ub02");
  EXPECT_EQ(job.job.group, "vcx2Y");
  EXPECT_EQ(trace.report.left_out.at(0).count, 4u);
}

TEST(Pai, counts_in_hours) {
  const auto trace = read_sample("pai.csv", "pai");
  const auto& second = sample_job_named(trace, "2");
  EXPECT_EQ(second.job.submitted, Time(1878518s));  // 521.81… h
  EXPECT_EQ(second.actual, 1761s);                  // 0.489… h
  EXPECT_EQ(trace.report.time_unit, "hours");
}

TEST(Openb, turns_a_share_of_a_gpu_into_load_and_keeps_the_types_it_wants) {
  const auto trace = read_sample("openb.csv", "openb");
  const auto& shared = sample_job_named(trace, "openb-pod-2000");
  EXPECT_EQ(shared.job.gpus, 1u);
  EXPECT_DOUBLE_EQ(shared.load, 0.55);
  EXPECT_EQ(shared.actual, 86s);
  EXPECT_EQ(sample_job_named(trace, "openb-pod-0009").gpu_spec, "V100M16|V100M32");
  EXPECT_EQ(trace.report.left_out.at(0).reason, "scheduled_time: none, the pod never ran");
  EXPECT_EQ(trace.report.left_out.at(1).reason, "num_gpu: 0, a pod without GPUs");
}

TEST(Gavel, divides_steps_by_the_throughput_of_a_v100) {
  const auto seven = read_sample("gavel7.trace", "gavel");
  // 1079657 steps of 'Recommendation (batch size 8192)' at 2.8415 a second.
  EXPECT_NEAR(seconds(sample_job_named(seven, "2").actual), 1079657 / 2.8415, 0.001);
  EXPECT_EQ(sample_job_named(seven, "2").job.gpus, 4u);
  const auto ten = read_sample("gavel10.trace", "gavel");
  // 11005 steps of 'Transformer (batch size 16)' on two GPUs at 14.154 a second.
  EXPECT_NEAR(seconds(sample_job_named(ten, "2").actual), 11005 / 14.154, 0.001);
  EXPECT_EQ(sample_job_named(ten, "2").job.gpus, 2u);
  EXPECT_EQ(sample_job_named(ten, "2").job.deadline, std::nullopt);
}

TEST(Gavel, takes_model_and_batch_of_each_gpu_out_of_the_job_type) {
  const auto seven = read_sample("gavel7.trace", "gavel");
  EXPECT_EQ(sample_job_named(seven, "2").job.kind, "Recommendation");
  EXPECT_EQ(sample_job_named(seven, "2").job.batch, 4 * 8192);
  const auto ten = read_sample("gavel10.trace", "gavel");
  EXPECT_EQ(sample_job_named(ten, "2").job.kind, "Transformer");
  EXPECT_EQ(sample_job_named(ten, "2").job.batch, 2 * 16);
  const auto bare = parse_trace("A3C\tcmd\t-n\t1\t100\t0\t1\n", "x", "gavel", {});
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_EQ(bare->jobs.front().job.kind, "A3C");
  EXPECT_EQ(bare->jobs.front().job.batch, 0);
}

TEST(Pollux, looks_up_how_long_a_whole_training_takes) {
  const auto trace = read_sample("pollux.csv", "pollux");
  const auto& first = sample_job_named(trace, "cifar10-0");
  EXPECT_EQ(first.job.submitted, Time(107s));
  EXPECT_EQ(first.job.gpus, 6u);
  EXPECT_EQ(first.actual, 853s);  // 3178 iterations at a batch of 2048
}

TEST(Elasticflow, counts_deadlines_from_the_beginning_of_the_trace) {
  const auto trace = read_sample("elasticflow.csv", "elasticflow");
  const auto& second = sample_job_named(trace, "1");
  EXPECT_EQ(second.job.submitted, Time(219316s));
  EXPECT_EQ(second.job.deadline, Time(2065619s));
  EXPECT_EQ(second.actual, 1792395s);
  EXPECT_EQ(second.job.kind, "vgg16");
}

TEST(Chronus, counts_in_minutes_and_deadlines_from_the_submission) {
  const auto trace = read_sample("chronus.csv", "chronus");
  const auto& first = sample_job_named(trace, "0");
  EXPECT_EQ(first.job.submitted, Time(12198min));
  EXPECT_EQ(first.actual, 211min);
  EXPECT_EQ(first.job.deadline, Time(12198min + 282min));
  EXPECT_EQ(first.job.group, "vc_103959");
}

TEST(Andreas, shows_each_application_once_with_its_fastest_time_on_one_gpu) {
  const auto trace = read_sample("andreas.csv", "andreas");
  const auto& first = sample_job_named(trace, "J1");
  EXPECT_EQ(first.job.kind, "LSTMbig");
  EXPECT_EQ(first.actual, 5170104ms);
  EXPECT_EQ(first.job.gpus, 1u);
}

TEST(Batsim, turns_profiles_into_run_times) {
  const auto trace = read_sample("batsim.json", "batsim");
  EXPECT_EQ(sample_job_named(trace, "w0!0").actual, 60s);
  EXPECT_EQ(sample_job_named(trace, "1").actual, 7200s + 500ms);
  EXPECT_EQ(sample_job_named(trace, "1").job.requested, 8000s);
  EXPECT_EQ(sample_job_named(trace, "w0!2").actual, 900s);  // 9e11 flops at 1e9 a second
}

TEST(Wfformat, puts_parents_before_their_children) {
  const auto trace = read_sample("wfformat.json", "wfformat");
  const auto& merge = sample_job_named(trace, "merge");
  EXPECT_EQ(merge.job.parents.size(), 4u);
  EXPECT_EQ(merge.job.gpus, 4u);
  EXPECT_EQ(merge.actual, 63s);
  const auto& split = sample_job_named(trace, "split");
  EXPECT_TRUE(split.job.parents.empty());
  EXPECT_EQ(split.job.gpus, 1u);
  EXPECT_EQ(sample_job_named(trace, "align_2").job.parents, std::vector{split.job.id});
}

TEST(Sacct, reads_gpus_and_their_type_and_days_in_times) {
  const auto trace = read_sample("sacct.txt", "sacct");
  const auto& second = sample_job_named(trace, "101");
  EXPECT_EQ(second.job.gpus, 8u);
  EXPECT_EQ(second.gpu_spec, "a100");
  EXPECT_EQ(second.actual, 26h + 3min + 4s);
  EXPECT_EQ(second.job.requested, 48h);
  EXPECT_EQ(second.job.group, "proj_6214e9");
}

}  // namespace
}  // namespace penstock
