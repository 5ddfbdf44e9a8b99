#include "report/svg_boxes.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

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
}  // namespace penstock
