#include "live/progress_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "live/live_world.h"

namespace penstock {
namespace {

TEST(Progress, is_the_last_whole_line) {
  const auto done = [](std::string_view text) {
    const auto read = read_progress(text, kNoon);
    return read ? read->done : -1;
  };
  EXPECT_EQ(done("{\"done\":1}\n{\"done\":2}\n"), 2);
  EXPECT_EQ(done("{\"done\":1}\n{\"done\":2"), 1);  // still being written
  EXPECT_EQ(done("{\"done\":1}"), -1);
  for (const char* text : {"", "\n", "3\n", "{}\n", "{\"done\":\"x\"}\n", "{\"done\":-1}\n",
                           "{\"done\":1e999}\n", "\xff\xfe\n", "{\"done\":null}\n"})
    EXPECT_EQ(done(text), -1) << text;
  EXPECT_EQ(read_progress("{\"done\":5,\"saved\":3}\n", kNoon)->saved, 3);
  EXPECT_FALSE(read_progress("{\"done\":5,\"saved\":-3}\n", kNoon)->saved);
}

/// A site with one running job that scales and works in a folder.
class ProgressFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "progress-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    FakeJob& job = world_.slurm.add_job({.comment = "penstock: profile=resnet gpus=1-2"});
    job.work_dir = folder_.string();
    ASSERT_TRUE(world_.slurm.start(job, {}));
    Batch batch;
    ASSERT_TRUE(world_.wait(std::nullopt, batch));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "penstock-1.progress"; }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  /// What the site was told, in all.
  std::size_t told() {
    files_.look(*world_.site, Time::max());
    return world_.site->find("1")->progress.size();
  }

  LiveWorld world_;
  ProgressFiles files_;
  std::filesystem::path folder_;
};

TEST_F(ProgressFilesTest, what_a_job_saves_when_it_is_stopped_counts_for_the_run_that_did_it) {
  world_.site->ask_at_end([&](const TrackedJob& job, Time now) { return files_.read(job, now); });
  write("{\"done\":7,\"saved\":0}\n");
  EXPECT_EQ(told(), 1u);
  write("{\"done\":9,\"saved\":9}\n");
  world_.slurm.send_back(world_.slurm.job("1"), true);
  Batch batch;
  ASSERT_TRUE(world_.wait(std::nullopt, batch));
  ASSERT_EQ(world_.site->find("1")->runs_seen.size(), 1u);
  EXPECT_EQ(world_.site->find("1")->runs_seen.front().done, 9);
}

TEST_F(ProgressFilesTest, a_file_is_read_once_for_each_change) {
  EXPECT_EQ(told(), 0u);
  write("{\"done\":7}\n");
  EXPECT_EQ(told(), 1u);
  EXPECT_EQ(told(), 1u);
  EXPECT_EQ(world_.site->find("1")->progress.front().done, 7);
}

TEST_F(ProgressFilesTest, of_a_huge_file_only_the_end_is_read) {
  write(std::string(3'000'000, 'x') + "\n{\"done\":8}\n");
  EXPECT_EQ(told(), 1u);
}

TEST_F(ProgressFilesTest, links_and_pipes_are_not_followed) {
  std::ofstream(folder_ / "other") << "{\"done\":7}\n";
  std::filesystem::create_symlink(folder_ / "other", path());
  EXPECT_EQ(told(), 0u);
  std::filesystem::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(told(), 0u);
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_EQ(told(), 0u);
}

}  // namespace
}  // namespace penstock
