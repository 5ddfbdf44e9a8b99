#include "io/text/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace penstock {
namespace {

TEST(ParseNumber, takes_the_whole_text_or_nothing) {
  EXPECT_EQ(*parse_number<int>("42"), 42);
  EXPECT_EQ(*parse_number<double>("-1.5e3"), -1500);
  EXPECT_EQ(parse_number<int>("42 ").error().message, "'42 ' is not a whole number in range");
  EXPECT_EQ(parse_number<int>("6214e9").error().message, "'6214e9' is not a whole number in range");
  EXPECT_EQ(parse_number<double>("n/a").error().message, "'n/a' is not a finite number");
}

TEST(ParseNumber, refuses_nan_infinity_and_nothing) {
  EXPECT_EQ(parse_number<double>("nan").error().message, "'nan' is not a finite number");
  EXPECT_EQ(parse_number<double>("-inf").error().message, "'-inf' is not a finite number");
  EXPECT_EQ(parse_number<double>("").error().message, "is missing");
}

TEST(ParseNumber, says_when_a_number_is_too_large) {
  EXPECT_EQ(parse_number<std::uint8_t>("256").error().message, "'256' is out of range");
  EXPECT_EQ(parse_number<double>("1e999").error().message, "'1e999' is out of range");
  EXPECT_EQ(parse_number<std::uint32_t>("-1").error().message,
            "'-1' is not a whole number in range");
}

TEST(InQuotes, cuts_long_text_and_hides_control_characters) {
  EXPECT_EQ(in_quotes("a\nb"), "'a?b'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "'" + std::string(40, 'x') + "…'");
}

TEST(Trim, removes_blanks_at_both_ends_only) {
  EXPECT_EQ(trim("  a b\t\r"), "a b");
  EXPECT_EQ(trim(" \t "), "");
}

}  // namespace
}  // namespace penstock
