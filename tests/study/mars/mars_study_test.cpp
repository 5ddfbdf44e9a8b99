#include "study/mars/mars_study.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(MarsStudy, knows_every_order_with_and_without_backfilling) {
  const std::vector<std::string> names = heuristic_names();
  EXPECT_EQ(names.size(), 18u);
  EXPECT_NE(std::ranges::find(names, "wfp3+easy"), names.end());
}

TEST(MarsStudy, refuses_a_workload_that_it_does_not_have) {
  const auto windows = run_mars_windows({.data = PENSTOCK_ROOT "/data", .only = {"sdsc"}});
  ASSERT_FALSE(windows);
  EXPECT_EQ(windows.error().message,
            "--only: no workload 'sdsc'; there are: lisa eagle lublin mustang azure philly "
            "workflows");
}

TEST(MarsStudy, runs_heuristics_alone_on_a_window_of_the_training_part) {
  const MarsPlan plan{.workload = "lublin",
                      .part = MarsPart::training,
                      .number = 1,
                      .overrides = {"workload.generate.jobs=300", "workload.limit=20"}};
  const auto window = run_mars_window(plan, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(window) << window.error().message;
  ASSERT_EQ(window->runs.size(), 18u);
  EXPECT_EQ(window->runs.front().method, "fifo");
  for (const MethodRun& each : window->runs) {
    EXPECT_EQ(each.run.jobs_finished, 20) << each.method;
    EXPECT_GE(*each.run.bounded_slowdown_mean, 1) << each.method;
  }
}

}  // namespace
}  // namespace penstock
