#include "policies/clock_choice.h"

#include <gtest/gtest.h>

#include "worlds/world.h"

namespace penstock {
namespace {

/// Power falls with the cube of the clock and speed with the clock, beside 100 W at any clock.
struct ClockChoiceTest : testing::Test {
  ClockChoiceTest() {
    cluster.types[0].min_clock_mhz = 200;
    cluster.types[0].max_clock_mhz = 1000;
    cluster.types[0].clock_step_mhz = 200;
  }
  Cluster cluster = cluster_of({{.count = 1, .gpus = 2}});
  Profile profile{.speed = {.alpha_c = 1},
                  .power = {.p0 = Watts(100), .p3 = Watts(200)},
                  .batch = {.least = 1, .most = 1, .local_most = 1},
                  .gpus_most = 1};
  std::uint32_t clock(const std::string& text) const {
    return ClockChoice::parse(text, cluster)
        ->clock(profile, cluster.types[0], {.gpus = 1, .batch = 1});
  }
};

TEST_F(ClockChoiceTest, is_the_highest_one_that_is_named_or_the_one_of_least_energy) {
  EXPECT_EQ(clock("max"), 1000u);
  EXPECT_EQ(clock("400"), 400u);
  EXPECT_EQ(clock("zeus"), 600u) << "a second of work takes 300, 253, 239, 282 J";
  EXPECT_TRUE(ClockChoice::parse("max", cluster)->is_highest());
  EXPECT_FALSE(ClockChoice::parse("1000", cluster)->is_highest());
}

TEST_F(ClockChoiceTest, refuses_what_is_no_clock) {
  EXPECT_FALSE(ClockChoice::parse("fast", cluster));
  EXPECT_FALSE(ClockChoice::parse("zeus-2", cluster));
  EXPECT_FALSE(ClockChoice::parse("500", cluster)) << "steps of 200 from 200 on";
}

}  // namespace
}  // namespace penstock
