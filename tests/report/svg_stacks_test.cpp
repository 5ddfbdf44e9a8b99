#include "report/svg_stacks.h"

#include <gtest/gtest.h>

namespace penstock {
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
