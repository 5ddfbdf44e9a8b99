#include "serve/file_lock.h"

#include <gtest/gtest.h>

#include <optional>

namespace penstock {
namespace {

TEST(FileLock, is_had_by_one_at_a_time) {
  const std::string path = testing::TempDir() + "penstock-file-lock";
  auto first = FileLock::take(path);
  ASSERT_TRUE(first);
  std::optional<FileLock> held = *std::move(first);
  const auto second = FileLock::take(path);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another penstock serve has it"), std::string::npos);
  held.reset();
  EXPECT_TRUE(FileLock::take(path));
}

TEST(FileLock, says_why_it_cannot_be_made) {
  const auto none = FileLock::take("/nonesuch/lock");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "/nonesuch/lock: cannot be made: No such file or directory");
}

}  // namespace
}  // namespace penstock
