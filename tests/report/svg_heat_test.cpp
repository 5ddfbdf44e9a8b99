#include "report/svg_heat.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

TEST(SvgHeat, is_lightest_at_the_least_and_darkest_at_the_most) {
  const std::string svg = svg_heat_maps(
      "use", "hour", {{.title = "GPU-hours", .rows = {"paris"}, .values = {{0, 5, 10}}}});
  const auto lightest = svg.find("rgb(247,250,255)");
  const auto darkest = svg.find("rgb(8,42,94)");
  EXPECT_LT(lightest, darkest);
  EXPECT_NE(darkest, std::string::npos);
  EXPECT_NE(svg.find(">paris<"), std::string::npos);
  EXPECT_NE(svg.find(">5<"), std::string::npos);
}

TEST(SvgHeat, may_share_its_colours_with_other_pictures) {
  const std::string svg = svg_heat_maps(
      "use", "hour",
      {{.title = "GPU-hours", .rows = {"a"}, .values = {{4, 5}}, .lightest = 0, .darkest = 10}});
  EXPECT_EQ(svg.find("rgb(247,250,255)"), std::string::npos);
  EXPECT_NE(svg.find("rgb(107,158,213)"), std::string::npos) << "half of the most";
}

TEST(SvgHeat, is_drawn_even_with_equal_values_absent_ones_or_none) {
  const std::string svg = svg_heat_maps("x", "y", {{.rows = {"a"}, .values = {{1, NAN, 1}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg_heat_maps("x", "y", {}).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace penstock
