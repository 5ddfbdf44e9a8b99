#include "report/files/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

TEST(OutputFile, that_cannot_be_opened_says_why) {
  const auto file = OutputFile::create("/dev/null/jobs.csv");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "cannot write to /dev/null/jobs.csv: Not a directory");
}

TEST(OutputFile, tells_at_the_end_that_the_disk_was_full) {
  auto file = OutputFile::create("/dev/full");
  if (!file) GTEST_SKIP() << "this system has no /dev/full";
  file->text() += std::string(100'000, 'x');
  file->flush_if_full();
  file->text() += "end";
  const auto closed = file->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "cannot write to /dev/full: No space left on device");
}

}  // namespace

namespace {

namespace fs = std::filesystem;

/// A directory of its own for each test, gone afterwards.
class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(testing::TempDir()) / "penstock-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// Names below the root, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(root_)) all.push_back(entry.path().filename());
    std::ranges::sort(all);
    return all;
  }
  fs::path partial(const std::string& name) const {
    return root_ / (name + ".partial-" + std::to_string(::getpid()));
  }

  fs::path root_;
};
using OutputDirTest = Outputs;
using AtomicFileTest = Outputs;
using Names = std::vector<std::string>;

TEST_F(OutputDirTest, appears_only_when_committed) {
  auto dir = OutputDir::create(root_ / "out");
  ASSERT_TRUE(dir);
  EXPECT_EQ(dir->path(), partial("out"));
  write(dir->path() / "summary.json", "{}");
  EXPECT_FALSE(fs::exists(root_ / "out"));
  ASSERT_TRUE(dir->commit());
  EXPECT_EQ(read(root_ / "out" / "summary.json"), "{}");
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(OutputDirTest, leaves_nothing_behind_when_not_committed) {
  {
    auto dir = OutputDir::create(root_ / "out");
    ASSERT_TRUE(dir);
    write(dir->path() / "jobs.csv", "half a");
    fs::create_directory(dir->path() / "fifo");
  }
  EXPECT_EQ(names(), Names{});
}

TEST_F(OutputDirTest, replaces_an_earlier_result_as_a_whole) {
  fs::create_directory(root_ / "out");
  write(root_ / "out" / "summary.json", "old");
  write(root_ / "out" / "timeline.csv", "old");
  auto dir = OutputDir::create(root_ / "out/");
  ASSERT_TRUE(dir);
  write(dir->path() / "summary.json", "new");
  EXPECT_EQ(read(root_ / "out" / "summary.json"), "old");
  ASSERT_TRUE(dir->commit());
  EXPECT_EQ(read(root_ / "out" / "summary.json"), "new");
  EXPECT_FALSE(fs::exists(root_ / "out" / "timeline.csv"));
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(OutputDirTest, keeps_an_earlier_result_when_not_committed) {
  fs::create_directory(root_ / "out");
  write(root_ / "out" / "summary.json", "old");
  {
    ASSERT_TRUE(OutputDir::create(root_ / "out"));
  }
  EXPECT_EQ(read(root_ / "out" / "summary.json"), "old");
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(OutputDirTest, takes_the_place_of_an_empty_directory_and_makes_missing_parents) {
  fs::create_directory(root_ / "out");
  EXPECT_TRUE(OutputDir::create(root_ / "out")->commit());
  EXPECT_TRUE(OutputDir::create(root_ / "a/b/c")->commit());
  EXPECT_TRUE(fs::is_directory(root_ / "a/b/c"));
}

TEST_F(OutputDirTest, follows_a_link_to_the_directory_it_names) {
  fs::create_directory(root_ / "disk");
  fs::create_directory_symlink(root_ / "disk", root_ / "out");
  auto dir = OutputDir::create(root_ / "out");
  ASSERT_TRUE(dir);
  write(dir->path() / "summary.json", "new");
  ASSERT_TRUE(dir->commit());
  EXPECT_TRUE(fs::is_symlink(root_ / "out"));
  EXPECT_EQ(read(root_ / "disk" / "summary.json"), "new");
}

TEST_F(OutputDirTest, does_not_touch_a_directory_that_is_not_ours) {
  fs::create_directory(root_ / "home");
  write(root_ / "home" / "thesis.tex", "years of work");
  const auto dir = OutputDir::create(root_ / "home");
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().message,
            "cannot write to " + (root_ / "home").string() +
                ": it is not empty and holds no summary.json, so it is not ours to replace; "
                "name a new directory, an empty one or one with earlier results");
  EXPECT_EQ(names(), Names{"home"});
}

TEST_F(OutputDirTest, looks_again_before_it_replaces) {
  auto dir = OutputDir::create(root_ / "out");
  ASSERT_TRUE(dir);
  fs::create_directory(root_ / "out");
  write(root_ / "out" / "thesis.tex", "written while we ran");
  EXPECT_FALSE(dir->commit());
  EXPECT_EQ(read(root_ / "out" / "thesis.tex"), "written while we ran");
}

TEST_F(OutputDirTest, is_refused_where_a_file_is) {
  write(root_ / "out", "a file");
  const auto dir = OutputDir::create(root_ / "out");
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().message,
            "cannot write to " + (root_ / "out").string() + ": it is there and not a directory");
  const auto below = OutputDir::create(root_ / "out" / "deeper");
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().message,
            "cannot write to " + (root_ / "out" / "deeper").string() + ": Not a directory");
}

TEST_F(OutputDirTest, needs_a_name) {
  EXPECT_EQ(OutputDir::create("").error().message, "cannot write to '': a directory needs a name");
}

TEST_F(OutputDirTest, says_when_writing_is_not_permitted) {
  const bool root = ::geteuid() == 0;  // may write anywhere, so becomes nobody for a moment
  fs::create_directory(root_ / "locked");
  fs::permissions(root_ / "locked", fs::perms::owner_read | fs::perms::owner_exec |
                                        fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(root_, fs::perms::others_exec, fs::perm_options::add);
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot give up root's rights here";
  const auto dir = OutputDir::create(root_ / "locked" / "out");
  const auto file = AtomicFile::create(root_ / "locked" / "trace.csv");
  ASSERT_EQ(root ? ::seteuid(0) : 0, 0);
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().message,
            "cannot write to " + (root_ / "locked" / "out").string() + ": Permission denied");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            "cannot write to " + (root_ / "locked" / "trace.csv").string() + ": Permission denied");
}

TEST_F(AtomicFileTest, appears_whole_or_not_at_all) {
  const fs::path path = root_ / "trace.csv";
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    file->text() += "half";
    EXPECT_EQ(names(), Names{partial("trace.csv").filename()});
  }
  EXPECT_EQ(names(), Names{});
  ASSERT_TRUE(write_file(path, "whole"));
  ASSERT_TRUE(write_file(path, "whole again"));
  EXPECT_EQ(read(path), "whole again");
  EXPECT_EQ(names(), Names{"trace.csv"});
}

TEST_F(AtomicFileTest, writes_to_a_device_without_replacing_it) {
  ASSERT_TRUE(write_file("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, is_refused_where_a_directory_is) {
  const auto written = write_file(root_, "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write to " + root_.string() + ": Is a directory");
}

}  // namespace

}  // namespace penstock
