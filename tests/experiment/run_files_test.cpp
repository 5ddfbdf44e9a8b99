#include "experiment/run_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "experiment/comparison.h"
#include "experiment/two_jobs.h"
#include "io/text/file.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, removed at its end.
struct OwnFolder {
  OwnFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path = fs::path(testing::TempDir()) / test->name();
    fs::remove_all(path);
  }
  ~OwnFolder() { fs::remove_all(path); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  std::string text(const fs::path& file) const {
    const auto read = read_file(path / file);
    return read ? *read : read.error().message;
  }
  fs::path path{};
};

TEST(RunFiles, of_one_run_are_in_the_folder_itself) {
  const OwnFolder folder;
  const auto experiment = load_experiment(two_jobs({{"fifo"}}));
  ASSERT_TRUE(experiment);
  const auto comparison = run_experiment(
      *experiment,
      {.dir = folder.path, .files = {.timeline_every = std::chrono::hours(5), .decisions = true}});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->runs[0].summary.dir, "");
  const std::string timeline = folder.text("timeline.csv");
  EXPECT_EQ(std::ranges::count(timeline, '\n'), 4);  // a head and hours 0, 5 and 10
  const std::string decisions = folder.text("decisions.jsonl");
  EXPECT_TRUE(decisions.starts_with(
      R"({"time_s":0.0,"queued_jobs":2,"running_jobs":0,"actions":[{"do":"start","job":0,"name":"long","gpus":[[0,0]])"))
      << decisions;
  EXPECT_EQ(std::ranges::count(decisions, '\n'), 2);
  EXPECT_NE(folder.text("jobs.csv").find("\nshort,two-jobs,"), std::string::npos);
}

TEST(RunFiles, of_several_runs_are_in_folders_named_after_them) {
  const OwnFolder folder;
  const auto experiment = load_experiment(two_jobs({{"fifo"}, {"sjf", {{"backfill", "easy"}}}}));
  ASSERT_TRUE(experiment);
  const auto comparison = run_experiment(*experiment, {.dir = folder.path});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->runs[1].summary.dir, "sjf-backfill=easy");
  EXPECT_TRUE(fs::exists(folder.path / "fifo" / "jobs.csv"));
  EXPECT_TRUE(fs::exists(folder.path / "sjf-backfill=easy" / "stretches.csv"));
  EXPECT_FALSE(fs::exists(folder.path / "fifo" / "decisions.jsonl"));
}

}  // namespace
}  // namespace penstock
