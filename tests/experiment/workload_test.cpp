#include "experiment/workload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// A site of one node with two GPUs, and jobs as a trace has them.
class WorkloadTest : public testing::Test {
 protected:
  WorkloadTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(testing::TempDir()) / test->name();
    fs::create_directories(dir_);
  }
  ~WorkloadTest() override { fs::remove_all(dir_); }

  Result<Workload> load(const std::string& rows, std::vector<std::string> overrides = {},
                        const std::string& more = "") {
    std::ofstream(dir_ / "jobs.csv") << "job,name,submitted,gpus,actual_s,parents\n" << rows;
    const auto scenario = parse_scenario(R"(
[workload]
trace  = "jobs.csv"
format = "csv"
[[site]]
name = "here"
[[site.nodes]]
count = 1
gpus  = 2
gpu   = "a100"
)" + more,
                                         "small.toml", dir_, overrides);
    EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
    return load_workload(*scenario);
  }

  fs::path dir_{};
};

TEST_F(WorkloadTest, has_the_jobs_of_the_trace_in_their_order) {
  const auto workload = load(
      "0,a,1970-01-01T00:00Z,1,60,\n"
      "1,b,1970-01-01T01:00Z,2,60,0\n");
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->count, 2u);
  EXPECT_EQ(workload->start, Time{});
  const auto source = workload->source();
  EXPECT_EQ(source->next()->job.name, "a");
  EXPECT_EQ(source->next()->job.name, "b");
  EXPECT_FALSE(source->next());
}

TEST_F(WorkloadTest, says_on_which_gpu_type_the_run_times_of_a_trace_were_measured) {
  const std::string t4 = "[[site.nodes]]\ncount = 1\ngpus = 2\ngpu = \"t4\"\n";
  const std::string root = std::string(PENSTOCK_ROOT) + "/data/models/";
  const std::vector<std::string> models{"workload.profiles=[\"" + root + "a100.toml\", \"" + root +
                                        "t4.toml\"]"};
  const auto workload = load("0,a,1970-01-01T00:00Z,1,60,\n", models, t4);
  ASSERT_TRUE(workload) << workload.error().message;
  EXPECT_TRUE(workload->notes.back().starts_with(
      "the trace's run times are taken as measured on 'a100', the first GPU type"))
      << workload->notes.back();
  const auto one_type = load("0,a,1970-01-01T00:00Z,1,60,\n", models);
  ASSERT_TRUE(one_type) << one_type.error().message;
  EXPECT_FALSE(one_type->notes.back().starts_with("the trace's run times"));
}

TEST_F(WorkloadTest, refuses_a_job_that_fits_no_site) {
  const auto workload = load("0,wide,1970-01-01T00:00Z,3,60,\n");
  ASSERT_FALSE(workload);
  EXPECT_NE(workload.error().message.find(
                "1 job can never run: job 'wide' asks for 3 GPUs; at most 2 can be had in one "
                "place; possible: a larger site, workload.gpus_max or workload.oversized = "
                "\"drop\""),
            std::string::npos)
      << workload.error().message;
}

TEST_F(WorkloadTest, gives_the_children_of_a_dropped_job_its_parents) {
  const auto workload = load(
      "0,a,1970-01-01T00:00Z,1,60,\n"
      "1,wide,1970-01-01T00:00Z,3,60,0\n"
      "2,c,1970-01-01T00:00Z,1,60,1\n",
      {"workload.oversized=drop"});
  ASSERT_TRUE(workload);
  ASSERT_EQ(workload->jobs.size(), 2u);
  EXPECT_EQ(workload->jobs[1].job.name, "c");
  EXPECT_EQ(workload->jobs[1].job.id, JobId{1});
  EXPECT_EQ(workload->jobs[1].job.parents, std::vector<JobId>{JobId{0}});
  ASSERT_EQ(workload->notes.size(), 1u);
  EXPECT_TRUE(workload->notes[0].starts_with("dropped 1 job that can never run: "));
}

TEST_F(WorkloadTest, says_which_trace_formats_there_are) {
  std::ofstream(dir_ / "jobs.csv") << "submitted,gpus,actual_s\n";
  const auto trace = read_any_trace(dir_ / "jobs.csv", "tsv", {});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("philly"), std::string::npos) << trace.error().message;
}

}  // namespace
}  // namespace penstock
