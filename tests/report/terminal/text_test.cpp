#include "report/terminal/text.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Text, width_counts_what_is_seen_and_not_bytes) {
  EXPECT_EQ(display_width("fifo"), 4u);
  EXPECT_EQ(display_width("Köln"), 4u);
  EXPECT_EQ(display_width("Ko\u0308ln"), 4u);  // a combining diaeresis
  EXPECT_EQ(display_width("東京"), 4u);
  EXPECT_EQ(display_width("\xff\xc3"), 2u);  // broken bytes
}

TEST(Text, is_shortened_between_characters) {
  EXPECT_EQ(shortened("fifo", 4), "fifo");
  EXPECT_EQ(shortened("Kölner Dom", 4), "Köl…");
  EXPECT_EQ(shortened("東京都", 4), "東…");
}

TEST(Text, is_aligned_by_width) {
  EXPECT_EQ(right_aligned("Köln", 6), "  Köln");
  EXPECT_EQ(left_aligned("東京", 6), "東京  ");
  EXPECT_EQ(left_aligned("too long", 3), "too long");
}

TEST(Text, groups_thousands) {
  EXPECT_EQ(grouped(0, 0), "0");
  EXPECT_EQ(grouped(999.96, 1), "1,000.0");
  EXPECT_EQ(grouped(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(grouped(-123456, 0), "-123,456");
  EXPECT_EQ(grouped(-0.001, 1), "0.0");
}

TEST(Text, names_durations_roughly) {
  using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
  EXPECT_EQ(rough_duration(400ms), "0 s");
  EXPECT_EQ(rough_duration(200s), "3 min 20 s");
  EXPECT_EQ(rough_duration(125min), "2 h 05 min");
  EXPECT_EQ(rough_duration(76h), "3 d 4 h");
}

}  // namespace

}  // namespace penstock
