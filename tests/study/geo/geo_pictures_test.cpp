#include "study/geo/geo_pictures.h"

#include <gtest/gtest.h>

#include "study/geo/geo_methods.h"

namespace penstock {
namespace {

TEST(GeoPictures, are_maps_shares_and_a_front_for_each_workload) {
  GeoCase one{.workload = "pai", .period = GeoPeriod::test, .number = 1, .currency = "EUR"};
  one.sites = {{.name = "paris"}};
  std::vector<std::string> routers = simple_routers();
  routers.emplace_back("mpc");
  for (const std::string& router : routers) {
    RunSummary run{.utility = router == "cheapest" ? -0.5 : -1, .relative_cost = 1};
    run.sites = {
        {.name = "paris", .carbon_kg = 1, .gpu_hours_by_hour = std::vector<double>(24, 1)}};
    one.runs.push_back({router, run});
  }
  std::vector<std::string> names;
  for (const StudyFile& picture : geo_pictures({one})) {
    names.push_back(picture.name);
    EXPECT_TRUE(picture.text.ends_with("</svg>\n")) << picture.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"map-pai-local.svg", "map-pai-cheapest.svg",
                                      "map-pai-mpc.svg", "shares-pai.svg", "pareto-pai.svg"}));
}

}  // namespace
}  // namespace penstock
