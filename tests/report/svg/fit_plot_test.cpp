#include "report/svg/fit_plot.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::size_t occurrences(const std::string& text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
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
  EXPECT_EQ(occurrences(svg, "<circle"), 2u);
  EXPECT_NE(svg.find("batch 64"), std::string::npos);
  EXPECT_NE(svg.find("energy per work"), std::string::npos);
}

}  // namespace

}  // namespace penstock
