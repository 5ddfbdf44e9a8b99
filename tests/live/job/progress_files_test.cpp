#include "live/job/progress_files.h"

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

/// A folder that is gone afterwards.
class ProgressFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "progress-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "penstock-1.progress"; }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  /// -1 if nothing new was read.
  double done() {
    const auto read = files_.read(path());
    return read ? read->done : -1;
  }

  ProgressFiles files_;
  std::filesystem::path folder_;
};

TEST_F(ProgressFilesTest, a_file_is_read_once_for_each_change) {
  EXPECT_EQ(done(), -1);
  write("{\"done\":7}\n");
  EXPECT_EQ(done(), 7);
  EXPECT_EQ(done(), -1);
}

TEST_F(ProgressFilesTest, of_a_huge_file_only_the_end_is_read) {
  write(std::string(3'000'000, 'x') + "\n{\"done\":8}\n");
  EXPECT_EQ(done(), 8);
}

TEST_F(ProgressFilesTest, links_and_pipes_are_not_followed) {
  std::ofstream(folder_ / "other") << "{\"done\":7}\n";
  std::filesystem::create_symlink(folder_ / "other", path());
  EXPECT_EQ(done(), -1);
  std::filesystem::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(done(), -1);
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_EQ(done(), -1);
}

TEST_F(ProgressFilesTest, only_jobs_of_a_known_kind_with_a_folder_have_one) {
  TrackedJob job;
  job.seen.ref = "9_2";
  job.seen.work_dir = "/runs";
  EXPECT_FALSE(progress_path(job));
  job.kind = "resnet";
  EXPECT_EQ(progress_path(job), "/runs/penstock-9_2.progress");
  job.seen.work_dir.clear();
  EXPECT_FALSE(progress_path(job));
}

}  // namespace
}  // namespace penstock
