#include "policy/words.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kMidnight{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)};

TEST(Words, name_the_day_only_if_it_is_another) {
  EXPECT_EQ(clock_word(kMidnight + 750min, kMidnight), "12:30Z");
  EXPECT_EQ(clock_word(kMidnight + 12h + 5s + 7ms, kMidnight + 23h), "12:00:05Z");
  EXPECT_EQ(clock_word(kMidnight + 36h, kMidnight), "2026-03-02 12:00Z");
}

TEST(Words, choose_the_unit_of_a_length) {
  EXPECT_EQ(length_word(90s), "90 s");
  EXPECT_EQ(length_word(10min), "10 min");
  EXPECT_EQ(length_word(150min), "2.5 h");
  EXPECT_EQ(length_word(84h), "3.5 d");
}

TEST(Words, count_one_as_one) {
  EXPECT_EQ(gpus_word(1), "1 GPU");
  EXPECT_EQ(gpus_word(8), "8 GPUs");
  EXPECT_EQ(jobs_word(1), "1 job");
}

}  // namespace
}  // namespace penstock
