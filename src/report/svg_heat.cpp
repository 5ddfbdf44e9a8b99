#include "report/svg_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/svg_parts.h"

namespace penstock {
namespace {

constexpr double kLeft = 110, kTop = 44, kCellWidth = 33, kCellHeight = 22, kGap = 40;

struct Colour {
  double red, green, blue;
};
constexpr std::array kColours{Colour{247, 250, 255}, Colour{107, 158, 213}, Colour{8, 42, 94}};

/// 0 is the lightest, 1 the darkest.
Colour colour_at(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (kColours.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kColours.size() - 2);
  const double rest = place - static_cast<double>(below);
  const Colour& a = kColours.at(below);
  const Colour& b = kColours.at(below + 1);
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
             x, y, kCellWidth - 1, kCellHeight - 1, colour.red, colour.green, colour.blue) +
         fmt::format(
             "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
             "style=\"font-size:10px;fill:{}\">{}</text>\n",
             x + kCellWidth / 2, y + 15, part > 0.45 ? "#fff" : "#333", number);
}

std::string map_text(const SvgHeat& map, double top) {
  const Limits limits = limits_of(map);
  std::string out = svg_text(kLeft, top - 8, "start", map.title);
  for (std::size_t r = 0; r < map.values.size(); ++r) {
    const double y = top + kCellHeight * static_cast<double>(r);
    out += svg_text(kLeft - 8, y + 15, "end", map.rows[r]);
    for (std::size_t c = 0; c < map.values[r].size(); ++c) {
      const double value = map.values[r][c];
      if (!std::isfinite(value)) continue;
      out += cell_text(kLeft + kCellWidth * static_cast<double>(c), y, limits.part(value),
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
  const double width = kCellWidth * static_cast<double>(columns);
  std::string body = svg_text(10, 18, "start", title);
  double top = kTop + 16;
  for (const SvgHeat& map : maps) {
    body += map_text(map, top);
    top += kCellHeight * static_cast<double>(map.values.size()) + kGap;
  }
  const double foot = top - kGap + 16;
  for (std::size_t c = 0; c < columns; ++c)
    body += svg_text(kLeft + kCellWidth * (static_cast<double>(c) + 0.5), foot, "middle",
                     std::to_string(c));
  body += svg_text(kLeft + width / 2, foot + 20, "middle", across);
  return svg_head(kLeft + width + 20, foot + 32) + body + "</svg>\n";
}

}  // namespace penstock
