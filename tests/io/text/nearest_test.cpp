#include "io/text/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace penstock {
namespace {

constexpr std::array<std::string_view, 3> kNames{"fifo", "conservative", "easy"};

TEST(EditDistance, counts_inserted_deleted_replaced_and_swapped_letters) {
  EXPECT_EQ(edit_distance("easy", "easy"), 0u);
  EXPECT_EQ(edit_distance("esay", "easy"), 1u);
  EXPECT_EQ(edit_distance("eay", "easy"), 1u);
  EXPECT_EQ(edit_distance("", "easy"), 4u);
}

TEST(Nearest, finds_the_name_that_was_meant) {
  EXPECT_EQ(nearest("fivo", kNames), "fifo");
  EXPECT_EQ(nearest("conservativ", kNames), "conservative");
}

TEST(Nearest, is_silent_when_nothing_is_close) {
  EXPECT_EQ(nearest("zzzzzz", kNames), std::nullopt);
  EXPECT_EQ(did_you_mean("zzzzzz", kNames), "");
  EXPECT_EQ(did_you_mean("eazy", kNames), "; did you mean 'easy'?");
}

}  // namespace
}  // namespace penstock
