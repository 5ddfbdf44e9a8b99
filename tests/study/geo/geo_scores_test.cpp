#include "study/geo/geo_scores.h"

#include <gtest/gtest.h>

#include "study/geo/geo_methods.h"

namespace penstock {
namespace {

/// All simple routers have this utility but `cheapest`; the bound is 1.
GeoCase stretch(std::uint32_t number, double simple, double cheapest, double mpc) {
  GeoCase result{.workload = "pai", .period = GeoPeriod::test, .number = number};
  for (const std::string& router : simple_routers())
    result.runs.push_back(
        {router, {.utility = router == "cheapest" ? cheapest : simple, .bound_utility = 1}});
  result.runs.push_back({"mpc", {.utility = mpc}});
  return result;
}

TEST(GeoScores, gain_is_a_part_of_how_far_the_other_is_from_zero) {
  EXPECT_DOUBLE_EQ(utility_gain(-0.5, -1), 0.5);
  EXPECT_DOUBLE_EQ(utility_gain(3, 2), 0.5);
  EXPECT_EQ(gain_text({0.125}), "+12.5 %");
  EXPECT_EQ(gain_text({0.1, 0.1}), "+10.0 ±0.0 %");
}

TEST(GeoScores, compares_stretch_by_stretch) {
  const std::vector<GeoCase> cases{stretch(1, -1, -0.5, 0), stretch(2, -1, -0.5, -0.25)};
  const GeoScores scores(cases, "pai", GeoPeriod::test);
  EXPECT_EQ(scores.best_simple(), "cheapest");
  EXPECT_DOUBLE_EQ(scores.mean("mpc", &RunSummary::utility), -0.125);
  EXPECT_EQ(scores.gains("mpc", "cheapest"), (GeoScores::Values{1, 0.5}));
  EXPECT_EQ(scores.ways("mpc"), (GeoScores::Values{0.5, 0.375}));  // of 2 from local to the bound
  EXPECT_TRUE(GeoScores(cases, "pai", GeoPeriod::choice).empty());
  EXPECT_EQ(all_scores(cases, GeoPeriod::test).size(), 1u);
}

TEST(GeoScores, add_up_what_sites_have_over_all_stretches) {
  std::vector<GeoCase> cases{stretch(1, -1, -1, 0), stretch(2, -1, -1, 0)};
  for (GeoCase& each : cases) {
    RunSummary& local = each.runs.front().run;
    local.makespan_s = 7200;
    local.sites = {{.name = "paris", .gpus = 4, .gpu_utilization = 0.5, .carbon_kg = 3}};
  }
  const GeoScores scores(cases, "pai", GeoPeriod::test);
  EXPECT_EQ(scores.by_site("local", gpu_hours), (GeoScores::Values{8}));
  EXPECT_EQ(scores.by_site("local", site_carbon), (GeoScores::Values{6}));
}

}  // namespace
}  // namespace penstock
