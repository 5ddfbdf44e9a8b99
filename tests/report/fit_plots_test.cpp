#include "report/fit_plots.h"

#include <gtest/gtest.h>

#include "report/svg_panel.h"

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

TEST(FitPlot, shows_measured_and_fitted_points_of_the_named_source_only) {
  const Profile profile{.name = "resnet50",
                        .aliases = {"imagenet"},
                        .gpu = "a100",
                        .speed = {0.01, 0.001, 0.01, 0.001, 0.02, 0.001, 1, 0.1},
                        .power = {Watts(100), Watts(0), Watts(200), Watts(50)},
                        .source = "speed: Mine; power: guessed"};
  Measurements seen;
  seen.speeds.push_back(
      {"imagenet", "a100", "Mine", false, {{{1, 1, 64, 1}, 0.1}, {{2, 1, 64, 1}, 0.06}}});
  seen.speeds.push_back({"resnet50", "a100", "Yours", false, {{{1, 1, 64, 1}, 0.2}}});
  const std::string svg = fit_plot(profile, seen);
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_NE(svg.find("batch 64"), std::string::npos);
  EXPECT_NE(svg.find("energy per work"), std::string::npos);
}

}  // namespace
}  // namespace penstock
