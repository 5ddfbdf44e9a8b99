#include "report/svg/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace penstock {

// Parts of pictures

namespace {

constexpr auto kColours = std::to_array<std::string_view>(
    {"#4269d0", "#e07b39", "#3a9b5c", "#b2455e", "#7a5cb8", "#666666"});

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

/// A colour for the index-th of several; they come again after six.
std::string_view svg_colour(std::size_t index) {
  return kColours.at(index % kColours.size());
}

/// The beginning of a picture on white ground; "</svg>" ends it. Lines of class `grid` are faint.
std::string svg_head(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
      ".grid{{stroke:#ddd;fill:none}}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n",
      width, height);
}

/// One line of text; `anchor` is "start", "middle" or "end".
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

}  // namespace

// Panels of lines and dots

namespace {

constexpr double kPanelWidth = 460, kPanelHeight = 300, kPanelLeft = 60, kPanelTop = 50,
                 kPanelGap = 80;

/// Where values of one panel stand in the picture.
struct Axes {
  double left = 0, low = 0, high = 1, least = 0, most = 1;
  bool log = false;

  double across(double x) const {
    const double part = log ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
    return left + kPanelWidth * part;
  }
  double up(double y) const { return kPanelTop + kPanelHeight * (most - y) / (most - least); }
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
                       kPanelWidth);
    out += svg_text(axes.left - 6, axes.up(y) + 4, "end", fmt::format("{:g}", y));
  }
  const double step = round_step(axes.high - axes.low);
  double x = axes.log ? axes.low : std::ceil(axes.low / step - 1e-9) * step;
  while (x <= axes.high * (1 + 1e-9)) {
    out +=
        svg_text(axes.across(x), kPanelTop + kPanelHeight + 18, "middle", fmt::format("{:g}", x));
    x = axes.log ? x * 2 : x + step;
  }
  return out;
}

std::string label_text(const Axes& axes, const SvgCurve& curve, std::size_t index) {
  const double y = kPanelTop + 14 + 15 * static_cast<double>(index);
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"4\" fill=\"{}\"/>\n",
                     axes.left + 10, y - 6, svg_colour(index)) +
         svg_text(axes.left + 25, y, "start", curve.label);
}

/// Beside the dot, on the side where there is room.
std::string dot_label(const Axes& axes, const SvgCurve& curve) {
  const auto& [x, y] = curve.dots.front();
  const bool right = axes.across(x) < axes.left + 0.75 * kPanelWidth;
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
  const double width = static_cast<double>(panels.size()) * (kPanelWidth + kPanelGap) + 20;
  const double height = kPanelTop + kPanelHeight + 50;
  std::string out = svg_head(width, height);
  out += svg_text(kPanelLeft, 18, "start", title);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Axes axes =
        axes_of(panels[i], kPanelLeft + static_cast<double>(i) * (kPanelWidth + kPanelGap));
    out += svg_text(axes.left, kPanelTop - 10, "start", panels[i].title);
    out += ticks(axes);
    out += svg_text(axes.left + kPanelWidth / 2, kPanelTop + kPanelHeight + 38, "middle",
                    panels[i].across);
    for (std::size_t c = 0; c < panels[i].curves.size(); ++c) {
      const SvgCurve& curve = panels[i].curves[c];
      out += curve_text(axes, curve, c);
      const bool at_dot = panels[i].name_dots && !curve.dots.empty();
      out += at_dot ? dot_label(axes, curve) : label_text(axes, curve, c);
    }
  }
  return out + "</svg>\n";
}

// Boxes

namespace {

constexpr double kBoxWidth = 620, kBoxLeft = 170, kBoxTop = 40, kBoxRow = 20, kBoxThick = 12;

/// Where values stand across the picture.
struct LogAxis {
  double low = 1;
  double high = 10;
  double at(double x) const {
    return kBoxLeft + kBoxWidth * std::log(x / low) / std::log(high / low);
  }
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
      out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", axis.at(x),
                         kBoxTop, height);
      out += svg_text(axis.at(x), kBoxTop + height + 16, "middle", fmt::format("{:g}", x));
    }
  return out;
}

std::string box_text(const LogAxis& axis, const SvgBox& box, double middle) {
  const BoxNumbers n = box_numbers(box.values);
  const char* colour = box.ours ? "#e07b39" : "#4269d0";
  return svg_text(kBoxLeft - 8, middle + 4, "end", box.label) +
         fmt::format("<path stroke=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", colour,
                     axis.at(n.least), middle, axis.at(n.most)) +
         fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#fff\" "
             "stroke=\"{}\"/>\n",
             axis.at(n.low), middle - kBoxThick / 2, axis.at(n.high) - axis.at(n.low), kBoxThick,
             colour) +
         fmt::format("<path stroke=\"{}\" stroke-width=\"2.5\" d=\"M{:.1f} {:.1f}v{}\"/>\n", colour,
                     axis.at(n.middle), middle - kBoxThick / 2, kBoxThick);
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
    rows += box_text(axis, box, kBoxTop + height + kBoxRow / 2);
    height += kBoxRow;
  }
  return svg_head(kBoxLeft + kBoxWidth + 30, kBoxTop + height + 50) +
         svg_text(10, 20, "start", title) + grid(axis, height) + rows +
         svg_text(kBoxLeft + kBoxWidth / 2, kBoxTop + height + 38, "middle", across) + "</svg>\n";
}

// Heat maps

namespace {

constexpr double kHeatLeft = 110, kHeatTop = 44, kHeatCellWidth = 33, kHeatCellHeight = 22,
                 kHeatGap = 40;

struct Colour {
  double red, green, blue;
};
constexpr std::array kHeatColours{Colour{247, 250, 255}, Colour{107, 158, 213}, Colour{8, 42, 94}};

/// 0 is the lightest, 1 the darkest.
Colour colour_at(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (kHeatColours.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kHeatColours.size() - 2);
  const double rest = place - static_cast<double>(below);
  const Colour& a = kHeatColours.at(below);
  const Colour& b = kHeatColours.at(below + 1);
  return {a.red + rest * (b.red - a.red), a.green + rest * (b.green - a.green),
          a.blue + rest * (b.blue - a.blue)};
}

/// What a map's values lie between; both ends are the same if all values are.
struct Limits {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;

  double part(double value) const { return most > least ? (value - least) / (most - least) : 0; }
};

Limits limits_of(const SvgHeat& map) {
  Limits limits;
  for (const auto& row : map.values)
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      limits.least = std::min(limits.least, value);
      limits.most = std::max(limits.most, value);
    }
  limits.least = map.lightest.value_or(limits.least);
  limits.most = map.darkest.value_or(limits.most);
  return limits;
}

std::string cell_text(double x, double y, double part, std::string_view number) {
  const Colour colour = colour_at(part);
  return fmt::format(
             "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" "
             "fill=\"rgb({:.0f},{:.0f},{:.0f})\"/>\n",
             x, y, kHeatCellWidth - 1, kHeatCellHeight - 1, colour.red, colour.green, colour.blue) +
         fmt::format(
             "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
             "style=\"font-size:10px;fill:{}\">{}</text>\n",
             x + kHeatCellWidth / 2, y + 15, part > 0.45 ? "#fff" : "#333", number);
}

std::string map_text(const SvgHeat& map, double top) {
  const Limits limits = limits_of(map);
  std::string out = svg_text(kHeatLeft, top - 8, "start", map.title);
  for (std::size_t r = 0; r < map.values.size(); ++r) {
    const double y = top + kHeatCellHeight * static_cast<double>(r);
    out += svg_text(kHeatLeft - 8, y + 15, "end", map.rows[r]);
    for (std::size_t c = 0; c < map.values[r].size(); ++c) {
      const double value = map.values[r][c];
      if (!std::isfinite(value)) continue;
      out += cell_text(kHeatLeft + kHeatCellWidth * static_cast<double>(c), y, limits.part(value),
                       fmt::format("{:.{}f}", value, map.decimals));
    }
  }
  return out;
}

std::size_t columns_of(const std::vector<SvgHeat>& maps) {
  std::size_t most = 0;
  for (const SvgHeat& map : maps)
    for (const auto& row : map.values) most = std::max(most, row.size());
  return most;
}

}  // namespace

std::string svg_heat_maps(std::string_view title, std::string_view across,
                          const std::vector<SvgHeat>& maps) {
  const std::size_t columns = columns_of(maps);
  const double width = kHeatCellWidth * static_cast<double>(columns);
  std::string body = svg_text(10, 18, "start", title);
  double top = kHeatTop + 16;
  for (const SvgHeat& map : maps) {
    body += map_text(map, top);
    top += kHeatCellHeight * static_cast<double>(map.values.size()) + kHeatGap;
  }
  const double foot = top - kHeatGap + 16;
  for (std::size_t c = 0; c < columns; ++c)
    body += svg_text(kHeatLeft + kHeatCellWidth * (static_cast<double>(c) + 0.5), foot, "middle",
                     std::to_string(c));
  body += svg_text(kHeatLeft + width / 2, foot + 20, "middle", across);
  return svg_head(kHeatLeft + width + 20, foot + 32) + body + "</svg>\n";
}

// Stacked bars

namespace {

constexpr double kStackLeft = 130, kStackTop = 62, kStackWidth = 300, kStackGap = 62,
                 kStackRow = 22, kStackThick = 17;
constexpr double kStackRoomForNumber = 20;

double length_of(const SvgStack& stack) {
  return std::accumulate(stack.parts.begin(), stack.parts.end(), 0.0);
}

std::string rect(double x, double y, double width, std::string_view colour) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", x, y, width,
      kStackThick, colour);
}

std::string stack_text(const SvgStack& stack, double left, double y, double scale) {
  const double whole = length_of(stack);
  std::string out;
  double x = left;
  for (std::size_t i = 0; i < stack.parts.size(); ++i) {
    const double width = stack.parts[i] * scale;
    out += rect(x, y, width, svg_colour(i));
    if (width >= kStackRoomForNumber)
      out += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
          "style=\"font-size:10px;fill:#fff\">{:.0f}</text>\n",
          x + width / 2, y + 12.5, 100 * stack.parts[i] / whole);
    x += width;
  }
  return out + svg_text(x + 5, y + 13, "start", fmt::format("{:.2f}", whole));
}

std::string panel_text(const SvgStackPanel& panel, double left) {
  double longest = 0;
  for (const SvgStack& stack : panel.stacks) longest = std::max(longest, length_of(stack));
  const double scale = longest > 0 ? kStackWidth / longest : 0;
  std::string out = svg_text(left, kStackTop - 12, "start", panel.title);
  for (std::size_t i = 0; i < panel.stacks.size(); ++i)
    out += stack_text(panel.stacks[i], left, kStackTop + kStackRow * static_cast<double>(i), scale);
  return out;
}

}  // namespace

std::string svg_stacks(std::string_view title, const std::vector<std::string>& parts,
                       const std::vector<SvgStackPanel>& panels) {
  const std::size_t rows = panels.empty() ? 0 : panels.front().stacks.size();
  const double foot = kStackTop + kStackRow * static_cast<double>(rows);
  std::string body = svg_text(10, 20, "start", title);
  for (std::size_t i = 0; i < rows; ++i)
    body += svg_text(kStackLeft - 8, kStackTop + kStackRow * static_cast<double>(i) + 13, "end",
                     panels.front().stacks[i].label);
  for (std::size_t i = 0; i < panels.size(); ++i)
    body += panel_text(panels[i], kStackLeft + static_cast<double>(i) * (kStackWidth + kStackGap));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double x = kStackLeft + 130 * static_cast<double>(i);
    body += rect(x, foot + 12, 12, svg_colour(i)) + svg_text(x + 18, foot + 25, "start", parts[i]);
  }
  const double width = kStackLeft + static_cast<double>(panels.size()) * (kStackWidth + kStackGap);
  return svg_head(width, foot + 44) + body + "</svg>\n";
}

}  // namespace penstock
