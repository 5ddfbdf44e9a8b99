#include "base/result.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{std::to_string(n) + " is odd"};
  return n / 2;
}

TEST(Result, holds_a_value_or_the_reason_there_is_none) {
  EXPECT_EQ(*half(4), 2);
  const Result<int> none = half(3);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.error().message, "3 is odd");
}

TEST(Result, tells_where_an_error_happened_on_its_way_up) {
  Result<int> none = half(3);
  EXPECT_EQ(std::move(none).error().in("count").in("jobs.csv:12").message,
            "jobs.csv:12: count: 3 is odd");
}

TEST(ResultDeathTest, must_be_asked_before_it_is_used) {
  EXPECT_DEATH((void)*half(3), "check failed");
  EXPECT_DEATH((void)half(4).error(), "check failed");
}

}  // namespace
}  // namespace penstock
