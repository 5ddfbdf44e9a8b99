#include "bridge/line_buffer.h"

#include <gtest/gtest.h>

namespace penstock::bridge {
namespace {

TEST(LineBuffer, lines_come_whole_however_the_bytes_came) {
  LineBuffer lines(100);
  lines.add("on");
  EXPECT_FALSE(lines.next());
  lines.add("e\n\ntw");
  EXPECT_EQ(lines.next()->text, "one");
  EXPECT_EQ(lines.next()->text, "");
  EXPECT_FALSE(lines.next());
  lines.add("o\n");
  EXPECT_EQ(lines.next()->text, "two");
  EXPECT_FALSE(lines.rest());
}

TEST(LineBuffer, a_long_line_is_known_but_not_kept) {
  LineBuffer lines(4);
  for (int i = 0; i < 10; ++i) {
    lines.add("xxx");
    EXPECT_FALSE(lines.next());
  }
  lines.add("\nfour\nfive5\n");
  EXPECT_TRUE(lines.next()->too_long);
  EXPECT_EQ(lines.next()->text, "four");
  EXPECT_TRUE(lines.next()->too_long);
}

TEST(LineBuffer, what_has_no_end_is_the_rest) {
  LineBuffer lines(4);
  lines.add("a\nbc");
  EXPECT_EQ(lines.next()->text, "a");
  EXPECT_EQ(lines.rest()->text, "bc");
  EXPECT_FALSE(lines.rest());
}

}  // namespace
}  // namespace penstock::bridge
