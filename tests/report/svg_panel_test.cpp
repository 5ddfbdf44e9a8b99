#include "report/svg_panel.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

SvgPanel two_points(bool close_up) {
  return {.title = "carbon",
          .across = "cost",
          .close_up = close_up,
          .curves = {{.label = "mpc", .line = {{0.8, 0.9}, {0.9, 0.8}}, .dots = {{0.8, 0.9}}}}};
}

TEST(SvgPanel, begins_at_zero_unless_it_is_a_close_up) {
  EXPECT_NE(svg_picture("x", {two_points(false)}).find(">0<"), std::string::npos);
  const std::string close = svg_picture("x", {two_points(true)});
  EXPECT_EQ(close.find(">0<"), std::string::npos);
  EXPECT_NE(close.find(">0.8<"), std::string::npos);
}

TEST(SvgPanel, is_drawn_even_with_one_point_or_none) {
  SvgPanel panel{.close_up = true, .curves = {{.label = "a", .dots = {{1, 1}}}}};
  EXPECT_EQ(svg_picture("x", {panel}).find("nan"), std::string::npos);
  panel.curves.clear();
  const std::string empty = svg_picture("x", {panel});
  EXPECT_EQ(empty.find("nan"), std::string::npos);
  EXPECT_EQ(empty.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace penstock
