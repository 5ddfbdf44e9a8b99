#include "policies/andreas/andreas.h"

#include <gtest/gtest.h>

#include "policies/core_policies.h"
#include "worlds/world.h"

namespace penstock {
namespace {

JointOption on(std::uint32_t gpus, double seconds) {
  return {.slices = gpus, .seconds = seconds, .worst = seconds};
}

/// One job on four GPUs for 1500 seconds; one GPU would be cheaper, but takes 4000.
JointProblem hurried(double deadline) {
  return {.types = 1,
          .jobs = {{.deadline = deadline,
                    .options = {on(1, 4000), on(4, 1500)},
                    .running = Assignment{.node = 0, .option = 1}}},
          .nodes = {{.gpus = 4, .cost = {0, 1, 2, 3, 4}}}};
}

const Assignments kOnFour{Assignment{.node = 0, .option = 1}};
const Assignments kOnOne{Assignment{.node = 0, .option = 0}};

TEST(UntilThriftier, is_when_what_is_left_could_be_done_more_cheaply_in_time) {
  // After 600 s four tenths are done; the rest takes 2400 s on one GPU.
  const auto wait = until_thriftier(hurried(3000), kOnFour, 0);
  ASSERT_TRUE(wait);
  EXPECT_DOUBLE_EQ(*wait, 600);
}

TEST(UntilThriftier, counts_the_restart) {
  const auto wait = until_thriftier(hurried(3000), kOnFour, 100);
  ASSERT_TRUE(wait);
  EXPECT_DOUBLE_EQ(*wait, 660);
}

TEST(UntilThriftier, is_never_soon_after_the_last_look) {
  const auto wait = until_thriftier(hurried(3999), kOnFour, 0);
  ASSERT_TRUE(wait);
  EXPECT_DOUBLE_EQ(*wait, 60);
}

TEST(UntilThriftier, is_nothing_for_who_has_the_time_or_waits_or_is_late) {
  EXPECT_FALSE(until_thriftier(hurried(5000), kOnFour, 0));
  EXPECT_FALSE(until_thriftier(hurried(1400), kOnFour, 0));
  EXPECT_FALSE(until_thriftier(hurried(3000), kOnOne, 0));
  EXPECT_FALSE(until_thriftier(hurried(3000), {std::nullopt}, 0));
}

std::string refusal(const Options& options) {
  const World world;
  const auto made = core_policies().make({.cluster = world.cluster}, "andreas", options);
  return made ? "" : made.error().message;
}

TEST(AndreasOptions, have_older_published_forms) {
  EXPECT_EQ(refusal({{"method", "fifo"}, {"unique", "yes"}}), "");
  EXPECT_EQ(refusal({{"method", "rg"}, {"randomisation", "published"}, {"unique", "yes"}}), "");
  EXPECT_EQ(refusal({{"unique", "maybe"}}),
            "policy 'andreas': unique: 'maybe' is not possible; no or yes");
  EXPECT_EQ(refusal({{"randomisation", "narrow"}}),
            "policy 'andreas': randomisation: 'narrow' is not possible; wider or published");
  EXPECT_EQ(refusal({{"method", "exact"}, {"unique", "yes"}}),
            "policy 'andreas': unique: method=exact lets jobs share nodes");
}

}  // namespace

}  // namespace penstock
