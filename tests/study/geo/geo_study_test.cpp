#include "study/geo/geo_study.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(GeoPlans, choose_on_the_middle_of_a_trace_and_test_on_its_end) {
  const std::vector<GeoPlan> all = geo_plans({});
  ASSERT_EQ(all.size(), 16u);  // three and five stretches of two workloads
  EXPECT_EQ(all[0].period, GeoPeriod::choice);
  EXPECT_EQ(all[0].skip, 71860u * 4 / 12);
  EXPECT_EQ(all[3].period, GeoPeriod::test);
  EXPECT_EQ(all[3].number, 1u);
  EXPECT_EQ(all[3].skip, 71860u * 7 / 12);
  for (const GeoPlan& plan : all) {
    const auto day = std::chrono::floor<std::chrono::days>(*parse_time(plan.start));
    EXPECT_EQ(std::chrono::weekday(day), std::chrono::Sunday) << plan.start;
  }
}

TEST(GeoPlans, are_fewer_and_shorter_if_the_study_is_to_be_quick) {
  const std::vector<GeoPlan> few = geo_plans({.only = {"pai"}, .quick = true});
  ASSERT_EQ(few.size(), 3u);
  EXPECT_EQ(few[0].limit, 71860u / 12 / 2);
}

TEST(GeoStudy, refuses_a_workload_that_it_does_not_have) {
  const auto cases = run_geo_cases({.data = PENSTOCK_ROOT "/data", .only = {"venus"}});
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().message, "--only: there is no 'venus'; possible: pai philly");
}

TEST(GeoStudy, runs_every_router_on_a_stretch) {
  GeoPlan plan = geo_plans({.only = {"philly"}}).front();
  plan.limit = 10;
  const auto result = run_geo_case(plan, {.data = PENSTOCK_ROOT "/data", .weights = "nowhere"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->runs.size(), 12u);
  EXPECT_EQ(result->run("local").transfers, 0);
  EXPECT_EQ(result->run("local").relative_cost, 1);
  for (const MethodRun& each : result->runs) EXPECT_EQ(each.run.jobs_finished, 10) << each.method;
}

}  // namespace
}  // namespace penstock
