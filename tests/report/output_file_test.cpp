#include "report/output_file.h"

#include <gtest/gtest.h>

#include <cerrno>

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
  file->spill();
  file->text() += "end";
  const auto closed = file->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "cannot write to /dev/full: No space left on device");
}

}  // namespace
}  // namespace penstock
