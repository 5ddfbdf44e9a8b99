#include "report/svg_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/svg_parts.h"

namespace penstock {
namespace {

constexpr double kLeft = 130, kTop = 62, kWidth = 300, kGap = 62, kRow = 22, kThick = 17;
constexpr double kRoomForNumber = 20;

double length_of(const SvgStack& stack) {
  return std::accumulate(stack.parts.begin(), stack.parts.end(), 0.0);
}

std::string rect(double x, double y, double width, std::string_view colour) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", x, y, width,
      kThick, colour);
}

std::string stack_text(const SvgStack& stack, double left, double y, double scale) {
  const double whole = length_of(stack);
  std::string out;
  double x = left;
  for (std::size_t i = 0; i < stack.parts.size(); ++i) {
    const double width = stack.parts[i] * scale;
    out += rect(x, y, width, svg_colour(i));
    if (width >= kRoomForNumber)
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
  const double scale = longest > 0 ? kWidth / longest : 0;
  std::string out = svg_text(left, kTop - 12, "start", panel.title);
  for (std::size_t i = 0; i < panel.stacks.size(); ++i)
    out += stack_text(panel.stacks[i], left, kTop + kRow * static_cast<double>(i), scale);
  return out;
}

}  // namespace

std::string svg_stacks(std::string_view title, const std::vector<std::string>& parts,
                       const std::vector<SvgStackPanel>& panels) {
  const std::size_t rows = panels.empty() ? 0 : panels.front().stacks.size();
  const double foot = kTop + kRow * static_cast<double>(rows);
  std::string body = svg_text(10, 20, "start", title);
  for (std::size_t i = 0; i < rows; ++i)
    body += svg_text(kLeft - 8, kTop + kRow * static_cast<double>(i) + 13, "end",
                     panels.front().stacks[i].label);
  for (std::size_t i = 0; i < panels.size(); ++i)
    body += panel_text(panels[i], kLeft + static_cast<double>(i) * (kWidth + kGap));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double x = kLeft + 130 * static_cast<double>(i);
    body += rect(x, foot + 12, 12, svg_colour(i)) + svg_text(x + 18, foot + 25, "start", parts[i]);
  }
  const double width = kLeft + static_cast<double>(panels.size()) * (kWidth + kGap);
  return svg_head(width, foot + 44) + body + "</svg>\n";
}

}  // namespace penstock
