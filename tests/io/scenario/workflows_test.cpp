#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

std::string workflow(const std::string& tasks, const std::string& runs) {
  return R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [)" + tasks +
         R"(]}, "execution": {"tasks": [)" + runs + "]}}}";
}

const std::string kRuns =
    R"({"id": "a", "runtimeInSeconds": 100}, {"id": "b", "runtimeInSeconds": 300})";

/// A folder with one fine workflow of 400 GPU seconds and what a test adds.
class Workflows : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_ / "some");
    std::filesystem::create_directories(dir_ / "none");
    write("some/fine.json", workflow(R"({"id": "a"}, {"id": "b", "parents": ["a"]})", kRuns));
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
  }
  Result<Scenario> read(const std::string& lines) const {
    return parse_scenario(
        "[[site]]\nname = 'a'\nnodes = [ { gpus = 8, gpu = 't4' } ]\n[workload]\n"
        "[workload.workflows]\n" +
            lines,
        "w.toml", dir_);
  }
  std::string trouble(const std::string& lines) const {
    const auto scenario = read(lines);
    return scenario ? "no error" : scenario.error().message;
  }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }

  std::filesystem::path dir_ = std::filesystem::temp_directory_path() /
                               (std::string("penstock-workflows-") +
                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Workflows, may_have_their_small_tasks_put_together) {
  write("some/wide.json", workflow(R"({"id": "a"}, {"id": "b"}, {"id": "c", "parents": ["a"]})",
                                   kRuns + R"(, {"id": "c", "runtimeInSeconds": 50})"));
  const auto scenario = read("files = 'some/wide.json'\nchunk_below = '6 min'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto& tasks = scenario->workload.workflows->instances[0].tasks;
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].job.name, "a+1");
  EXPECT_EQ(tasks[0].actual, Duration(400s));
  EXPECT_EQ(tasks[1].job.parents, std::vector<JobId>{JobId{0}});
  const auto bounded =
      read("files = 'some/wide.json'\nchunk_below = '6 min'\nchunk_at_most = '350 s'\n");
  EXPECT_EQ(bounded->workload.workflows->instances[0].tasks.size(), 3u);
  EXPECT_NE(trouble("files = 'some'\nchunk_below = '0 s'\n").find("chunk_below: must be longer"),
            std::string::npos);
  EXPECT_NE(
      trouble("files = 'some'\nchunk_at_most = '9 s'\n").find("chunk_at_most: is of use with"),
      std::string::npos);
}

TEST_F(Workflows, come_from_a_folder_a_file_or_a_list) {
  for (const std::string files : {"'some'", "'some/fine.json'", "['some', 'some/fine.json']"}) {
    const auto scenario = read("files = " + files + "\ncount = 7\nmean_gap = '2 min'\n");
    ASSERT_TRUE(scenario) << scenario.error().message;
    const WorkflowStreamSpec& spec = *scenario->workload.workflows;
    EXPECT_EQ(spec.instances.size(), files.front() == '[' ? 2u : 1u);
    EXPECT_EQ(spec.instances[0].name, "fine");
    EXPECT_EQ(spec.count, 7u);
    EXPECT_EQ(spec.mean_gap, 2min);
  }
}

TEST_F(Workflows, a_load_sets_the_gap_for_this_cluster) {
  // 400 GPU seconds on 8 GPUs: half busy if one comes every 100 s.
  EXPECT_EQ(read("files = 'some'\nload = 0.5\n")->workload.workflows->mean_gap, 100s);
}

TEST_F(Workflows, what_is_wrong_with_the_table_is_told) {
  EXPECT_EQ(trouble("count = 1\n"),
            "w.toml:5: workload.workflows.files: is missing; a folder, a file or a list of them");
  EXPECT_EQ(trouble("files = []\n"), "w.toml:6: workload.workflows.files: is empty");
  EXPECT_EQ(trouble("files = 'lost'\n"),
            "w.toml:6: workload.workflows.files: " + at("lost") + ": no such file or folder");
  EXPECT_EQ(trouble("files = 'none'\n"), "w.toml:6: workload.workflows.files: " + at("none") +
                                             ": the folder has no .json or .json.gz file");
  EXPECT_EQ(trouble("files = 'some'\ncount = 0\n"),
            "w.toml:7: workload.workflows.count: must be at least 1, not 0");
  EXPECT_EQ(trouble("files = 'some'\nload = 1\nmean_gap = '1 s'\n"),
            "w.toml:7: workload.workflows.load: stands beside mean_gap; either of them says how "
            "dense workflows come");
  EXPECT_EQ(trouble("files = 'some'\n[workload.generate]\njobs = 3\n"),
            "w.toml:5: workload.workflows: stands beside workload.generate; jobs come from one of "
            "them");
}

TEST_F(Workflows, a_circle_or_a_lost_parent_names_the_file_and_the_task) {
  write("circle.json",
        workflow(R"({"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["a"]})", kRuns));
  write("lost.json", workflow(R"({"id": "a"}, {"id": "b", "parents": ["c"]})", kRuns));
  EXPECT_EQ(trouble("files = 'circle.json'\n"),
            "w.toml:6: workload.workflows.files: " + at("circle.json") +
                ": tasks: 'a' waits for itself: a after b after a");
  EXPECT_EQ(trouble("files = 'lost.json'\n"),
            "w.toml:6: workload.workflows.files: " + at("lost.json") +
                ":tasks[1]: 'b': parents: there is no task 'c'");
}

TEST_F(Workflows, one_of_several_parts_is_fine) {
  write("apart.json", workflow(R"({"id": "a"}, {"id": "b"})", kRuns));
  EXPECT_TRUE(read("files = 'apart.json'\n"));
}

}  // namespace
}  // namespace penstock
