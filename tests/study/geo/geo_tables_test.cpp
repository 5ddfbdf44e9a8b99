#include "study/geo/geo_tables.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(GeoCsv, has_a_row_for_each_run_and_for_those_with_day_ahead_prices) {
  GeoCase one{.workload = "pai", .period = GeoPeriod::test, .number = 1, .start = "2021-01-03"};
  one.runs = {{"mpc", {.jobs_submitted = 3, .utility = -0.5}}};
  one.day_ahead = {{"mpc", {.jobs_submitted = 3, .utility = -0.25}}};
  const std::string csv = geo_csv({one});
  EXPECT_NE(csv.find("\npai,test,1,2021-01-03,mpc,3,-0.5,,,,,,,,,,,,,,,,\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\npai,test,1,2021-01-03,mpc day-ahead,3,-0.25,"), std::string::npos) << csv;
}

TEST(ParetoCsv, has_runs_by_their_weights_and_those_that_take_none) {
  GeoCase one{.workload = "pai", .period = GeoPeriod::test, .number = 2, .start = "2021-01-03"};
  one.runs = {{"local", {.relative_cost = 1}}, {"mpc", {.relative_cost = 0.9}}};
  one.weighed = {{0.25, 0.75, {"mpc", {.relative_cost = 0.8, .relative_carbon = 0.5}}}};
  EXPECT_EQ(pareto_csv({one}),
            "workload,stretch,start,router,cost_weight,carbon_weight,relative_cost,"
            "relative_transfer,relative_carbon,late_share,gpu_utilization\n"
            "pai,2,2021-01-03,mpc,0.25,0.75,0.8,,0.5,,\n"
            "pai,2,2021-01-03,local,,,1,,,,\n");
}

}  // namespace
}  // namespace penstock
