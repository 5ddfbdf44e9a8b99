#include "policy/reasons.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kMidnight{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)};

TEST(Words, name_the_day_only_if_it_is_another) {
  EXPECT_EQ(clock_label(kMidnight + 750min, kMidnight), "12:30Z");
  EXPECT_EQ(clock_label(kMidnight + 12h + 5s + 7ms, kMidnight + 23h), "12:00:05Z");
  EXPECT_EQ(clock_label(kMidnight + 36h, kMidnight), "2026-03-02 12:00Z");
}

TEST(Words, choose_the_unit_of_a_length) {
  EXPECT_EQ(duration_label(90s), "90 s");
  EXPECT_EQ(duration_label(10min), "10 min");
  EXPECT_EQ(duration_label(150min), "2.5 h");
  EXPECT_EQ(duration_label(84h), "3.5 d");
}

TEST(Words, count_one_as_one) {
  EXPECT_EQ(gpus_label(1), "1 GPU");
  EXPECT_EQ(gpus_label(8), "8 GPUs");
  EXPECT_EQ(jobs_label(1), "1 job");
}

}  // namespace
}  // namespace penstock
