#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

/// Points and lines of one colour. Positions are in the units of the axes.
struct SvgCurve {
  std::string label{};
  std::vector<std::pair<double, double>> line{};
  std::vector<std::pair<double, double>> dots{};
};

struct SvgPanel {
  std::string title{};
  std::string across{};     ///< what the horizontal axis shows
  bool log_across = false;  ///< by factors of two
  bool close_up = false;    ///< both axes just span the points: the vertical one not from 0
  bool name_dots = false;   ///< labels stand at the first dot of each curve, not in a list
  std::vector<SvgCurve> curves{};
};

/// The panels beside each other as one picture. The vertical axes begin at 0 but for close-ups.
std::string svg_picture(std::string_view title, const std::vector<SvgPanel>& panels);

}  // namespace penstock
