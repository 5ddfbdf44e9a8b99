#include "serve/file_lock.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(FileLock, is_had_by_one_at_a_time) {
  const std::string path = testing::TempDir() + "penstock-file-lock";
  auto first = take_lock(path);
  ASSERT_TRUE(first);
  const auto second = take_lock(path);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another penstock serve has it"), std::string::npos);
  first->close();
  EXPECT_TRUE(take_lock(path));
}

TEST(FileLock, says_why_it_cannot_be_made) {
  const auto none = take_lock("/nonesuch/lock");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "/nonesuch/lock: cannot be made: No such file or directory");
}

}  // namespace
}  // namespace penstock
