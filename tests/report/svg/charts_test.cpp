#include "report/svg/charts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(SvgPicture, draws_every_dot_and_escapes_labels) {
  const std::string svg = svg_picture(
      "a < b & c", {{.title = "t",
                     .across = "GPUs",
                     .log_across = true,
                     .curves = {{"one", {{1, 1}, {4, 2}}, {{1, 1}, {2, 1.5}, {4, 2}}}}}});
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(SvgPicture, is_drawn_even_with_one_point_or_none) {
  EXPECT_EQ(svg_picture("x", {{.curves = {{"one", {}, {{1, 0}}}}}}).find("nan"), std::string::npos);
  EXPECT_EQ(svg_picture("x", {{.curves = {{"none", {}, {}}}}}).find("nan"), std::string::npos);
}

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

namespace {

TEST(BoxNumbers, are_interpolated_between_neighbours) {
  const BoxNumbers n = box_numbers({4, 1, 3, 2});
  EXPECT_EQ(n.least, 1);
  EXPECT_EQ(n.low, 1.75);
  EXPECT_EQ(n.middle, 2.5);
  EXPECT_EQ(n.high, 3.25);
  EXPECT_EQ(n.most, 4);
}

TEST(SvgBoxes, draw_a_row_for_each_box_with_values) {
  const std::string svg = svg_boxes("slowdown < 9", "times",
                                    {{"fifo", {1, 10, 100}}, {"none", {}}, {"mars", {2}, true}});
  EXPECT_EQ(count(svg, "stroke-width=\"2.5\""), 2u);
  EXPECT_NE(svg.find(">mars<"), std::string::npos);
  EXPECT_EQ(svg.find(">none<"), std::string::npos);
  EXPECT_NE(svg.find("slowdown &lt; 9"), std::string::npos);
  EXPECT_NE(svg.find(">100<"), std::string::npos);
}

TEST(SvgBoxes, are_drawn_even_with_equal_values_or_none) {
  EXPECT_EQ(svg_boxes("x", "y", {{"one", {1}}}).find("nan"), std::string::npos);
  EXPECT_TRUE(svg_boxes("x", "y", {}).ends_with("</svg>\n"));
}

}  // namespace

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

namespace {

TEST(SvgStacks, say_what_percent_of_its_bar_each_part_is) {
  const std::string svg =
      svg_stacks("shares", {"paris", "texas"},
                 {{"work", {{"local", {0.25, 0.75}}, {"mpc", {0.1, 0.4}}}}, {"cost", {}}});
  for (const char* text : {">25<", ">75<", ">20<", ">80<", ">1.00<", ">0.50<", ">paris<", ">mpc<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}

TEST(SvgStacks, leave_out_numbers_that_have_no_room) {
  const std::string svg = svg_stacks("shares", {"a", "b"}, {{"work", {{"x", {0.02, 0.98}}}}});
  EXPECT_EQ(svg.find(">2<"), std::string::npos);
}

TEST(SvgStacks, are_drawn_even_if_there_is_nothing_to_show) {
  EXPECT_EQ(svg_stacks("x", {"a"}, {{"y", {{"z", {0}}}}}).find("nan"), std::string::npos);
  EXPECT_TRUE(svg_stacks("x", {}, {}).ends_with("</svg>\n"));
}

}  // namespace

}  // namespace penstock
