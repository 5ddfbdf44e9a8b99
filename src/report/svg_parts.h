#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace penstock {

/// The beginning of a picture on white ground; "</svg>" ends it. Lines of class `grid` are faint.
std::string svg_head(double width, double height);

/// A colour for the index-th of several; they come again after six.
std::string_view svg_colour(std::size_t index);

/// One line of text; `anchor` is "start", "middle" or "end".
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

}  // namespace penstock
