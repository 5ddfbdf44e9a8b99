#include "report/svg_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "report/svg_parts.h"

namespace penstock {
namespace {

constexpr double kWidth = 620, kLeft = 170, kTop = 40, kRow = 20, kThick = 12;

/// Where values stand across the picture.
struct LogAxis {
  double low = 1;
  double high = 10;
  double at(double x) const { return kLeft + kWidth * std::log(x / low) / std::log(high / low); }
};

LogAxis axis_of(const std::vector<SvgBox>& boxes) {
  double least = 1e300;
  double most = 0;
  for (const SvgBox& box : boxes)
    for (const double value : box.values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  if (most <= 0) return {};
  LogAxis axis{.low = least / 1.05, .high = most * 1.05};
  axis.high = std::max(axis.high, 2 * axis.low);
  return axis;
}

std::string grid(const LogAxis& axis, double height) {
  std::string out;
  const double first = std::pow(10, std::floor(std::log10(axis.low)));
  for (double decade = first; decade <= axis.high; decade *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double x = decade * factor;
      if (x < axis.low || x > axis.high) continue;
      out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", axis.at(x), kTop,
                         height);
      out += svg_text(axis.at(x), kTop + height + 16, "middle", fmt::format("{:g}", x));
    }
  return out;
}

std::string box_text(const LogAxis& axis, const SvgBox& box, double middle) {
  const BoxNumbers n = box_numbers(box.values);
  const char* colour = box.ours ? "#e07b39" : "#4269d0";
  return svg_text(kLeft - 8, middle + 4, "end", box.label) +
         fmt::format("<path stroke=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", colour,
                     axis.at(n.least), middle, axis.at(n.most)) +
         fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#fff\" "
             "stroke=\"{}\"/>\n",
             axis.at(n.low), middle - kThick / 2, axis.at(n.high) - axis.at(n.low), kThick,
             colour) +
         fmt::format("<path stroke=\"{}\" stroke-width=\"2.5\" d=\"M{:.1f} {:.1f}v{}\"/>\n", colour,
                     axis.at(n.middle), middle - kThick / 2, kThick);
}

}  // namespace

BoxNumbers box_numbers(std::vector<double> values) {
  PENSTOCK_CHECK(!values.empty());
  std::ranges::sort(values);
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {values.front(), at(0.25), at(0.5), at(0.75), values.back()};
}

std::string svg_boxes(std::string_view title, std::string_view across,
                      const std::vector<SvgBox>& boxes) {
  const LogAxis axis = axis_of(boxes);
  std::string rows;
  double height = 0;
  for (const SvgBox& box : boxes) {
    if (box.values.empty()) continue;
    rows += box_text(axis, box, kTop + height + kRow / 2);
    height += kRow;
  }
  return svg_head(kLeft + kWidth + 30, kTop + height + 50) + svg_text(10, 20, "start", title) +
         grid(axis, height) + rows +
         svg_text(kLeft + kWidth / 2, kTop + height + 38, "middle", across) + "</svg>\n";
}

}  // namespace penstock
