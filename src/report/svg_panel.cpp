#include "report/svg_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg_parts.h"

namespace penstock {
namespace {

constexpr double kWidth = 460, kHeight = 300, kLeft = 60, kTop = 50, kGap = 80;

/// Where values of one panel stand in the picture.
struct Axes {
  double left = 0, low = 0, high = 1, least = 0, most = 1;
  bool log = false;

  double across(double x) const {
    const double part = log ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
    return left + kWidth * part;
  }
  double up(double y) const { return kTop + kHeight * (most - y) / (most - least); }
};

/// Some room around the points on all sides.
Axes around(Axes axes) {
  const double across = std::max(0.08 * (axes.high - axes.low), 0.01);
  const double up = std::max(0.08 * (axes.most - axes.least), 0.01);
  axes.low -= across;
  axes.high += across;
  axes.least -= up;
  axes.most += up;
  return axes;
}

Axes close_axes(const SvgPanel& panel, double left) {
  Axes axes{.left = left, .low = 1e300, .high = -1e300, .least = 1e300, .most = -1e300};
  for (const SvgCurve& curve : panel.curves)
    for (const auto* points : {&curve.line, &curve.dots})
      for (const auto& [x, y] : *points) {
        axes.low = std::min(axes.low, x);
        axes.high = std::max(axes.high, x);
        axes.least = std::min(axes.least, y);
        axes.most = std::max(axes.most, y);
      }
  return axes.low > axes.high ? Axes{.left = left} : around(axes);
}

Axes axes_of(const SvgPanel& panel, double left) {
  if (panel.close_up) return close_axes(panel, left);
  Axes axes{.left = left, .low = 1e300, .high = -1e300, .most = 0, .log = panel.log_across};
  for (const SvgCurve& curve : panel.curves)
    for (const auto* points : {&curve.line, &curve.dots})
      for (const auto& [x, y] : *points) {
        axes.low = std::min(axes.low, x);
        axes.high = std::max(axes.high, x);
        axes.most = std::max(axes.most, 1.05 * y);
      }
  if (axes.low >= axes.high) axes.high = std::max(axes.low, 0.5) * 2;
  if (axes.low > axes.high) axes.low = axes.high / 2;
  if (axes.most <= 0) axes.most = 1;
  return axes;
}

/// A round step that divides the axis into about five.
double round_step(double span) {
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

std::string ticks(const Axes& axes) {
  std::string out;
  const double rise = round_step(axes.most - axes.least);
  for (double y = std::ceil(axes.least / rise) * rise; y <= axes.most; y += rise) {
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{}\"/>\n", axes.left, axes.up(y),
                       kWidth);
    out += svg_text(axes.left - 6, axes.up(y) + 4, "end", fmt::format("{:g}", y));
  }
  const double step = round_step(axes.high - axes.low);
  double x = axes.log ? axes.low : std::ceil(axes.low / step - 1e-9) * step;
  while (x <= axes.high * (1 + 1e-9)) {
    out += svg_text(axes.across(x), kTop + kHeight + 18, "middle", fmt::format("{:g}", x));
    x = axes.log ? x * 2 : x + step;
  }
  return out;
}

std::string label_text(const Axes& axes, const SvgCurve& curve, std::size_t index) {
  const double y = kTop + 14 + 15 * static_cast<double>(index);
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"4\" fill=\"{}\"/>\n",
                     axes.left + 10, y - 6, svg_colour(index)) +
         svg_text(axes.left + 25, y, "start", curve.label);
}

/// Beside the dot, on the side where there is room.
std::string dot_label(const Axes& axes, const SvgCurve& curve) {
  const auto& [x, y] = curve.dots.front();
  const bool right = axes.across(x) < axes.left + 0.75 * kWidth;
  return svg_text(axes.across(x) + (right ? 6 : -6), axes.up(y) + 4, right ? "start" : "end",
                  curve.label);
}

std::string curve_text(const Axes& axes, const SvgCurve& curve, std::size_t index) {
  const std::string_view colour = svg_colour(index);
  std::string path;
  for (const auto& [x, y] : curve.line)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", axes.across(x), axes.up(y));
  std::string out =
      fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" d=\"{}\"/>\n", colour,
                  path.empty() ? "M0 0" : path);
  for (const auto& [x, y] : curve.dots)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n",
                       axes.across(x), axes.up(y), colour);
  return out;
}

}  // namespace

std::string svg_picture(std::string_view title, const std::vector<SvgPanel>& panels) {
  const double width = static_cast<double>(panels.size()) * (kWidth + kGap) + 20;
  const double height = kTop + kHeight + 50;
  std::string out = svg_head(width, height);
  out += svg_text(kLeft, 18, "start", title);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Axes axes = axes_of(panels[i], kLeft + static_cast<double>(i) * (kWidth + kGap));
    out += svg_text(axes.left, kTop - 10, "start", panels[i].title);
    out += ticks(axes);
    out += svg_text(axes.left + kWidth / 2, kTop + kHeight + 38, "middle", panels[i].across);
    for (std::size_t c = 0; c < panels[i].curves.size(); ++c) {
      const SvgCurve& curve = panels[i].curves[c];
      out += curve_text(axes, curve, c);
      const bool at_dot = panels[i].name_dots && !curve.dots.empty();
      out += at_dot ? dot_label(axes, curve) : label_text(axes, curve, c);
    }
  }
  return out + "</svg>\n";
}

}  // namespace penstock
