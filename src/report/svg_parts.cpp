#include "report/svg_parts.h"

#include <fmt/format.h>

#include <array>

namespace penstock {
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

}  // namespace

std::string_view svg_colour(std::size_t index) {
  return kColours.at(index % kColours.size());
}

std::string svg_head(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
      ".grid{{stroke:#ddd;fill:none}}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n",
      width, height);
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

}  // namespace penstock
