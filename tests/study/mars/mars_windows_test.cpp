#include "study/mars/mars_windows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(MarsWindows, are_always_the_same_and_spread_over_their_part) {
  const auto windows = draw_windows("lublin", MarsPart::test, 4);
  ASSERT_EQ(windows.size(), 4u);
  const auto again = draw_windows("lublin", MarsPart::test, 4);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_EQ(windows[i].number, i + 1);
    EXPECT_EQ(windows[i].first, again[i].first);
    // A quarter of the places at which one of 512 jobs can begin among the last 10000 of 20000.
    EXPECT_GE(windows[i].first, 10000 + 9489 * i / 4);
    EXPECT_LT(windows[i].first, 10000 + 9489 * (i + 1) / 4);
  }
}

TEST(MarsWindows, say_how_their_scenario_changes) {
  const MarsPlan plan = draw_windows("philly", MarsPart::test, 1).front();
  ASSERT_EQ(plan.overrides.size(), 5u);
  EXPECT_EQ(plan.overrides[0], "site.nodes.count=16");
  EXPECT_EQ(plan.overrides[1], "workload.from=2017-11-01");
  EXPECT_EQ(plan.overrides[2], "workload.start=2021-11-01");
  EXPECT_EQ(plan.overrides[3], "workload.skip=" + std::to_string(plan.first));
  EXPECT_EQ(plan.overrides[4], "workload.limit=512");
}

TEST(MarsWindows, are_fewer_where_a_part_has_fewer_places) {
  EXPECT_EQ(draw_windows("eagle", MarsPart::training, 25).size(), 1u);  // 483 jobs: one window
}

TEST(MarsWindows, of_workflows_train_and_test_on_different_files) {
  const auto test = draw_windows("workflows", MarsPart::test, 1).front().overrides.front();
  const auto training = draw_windows("workflows", MarsPart::training, 1).front().overrides.front();
  EXPECT_NE(test.find("rnaseq-dirt02-001.json.gz"), std::string::npos);
  EXPECT_EQ(training.find("rnaseq-dirt02-001.json.gz"), std::string::npos);
}

}  // namespace
}  // namespace penstock
