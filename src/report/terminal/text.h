#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace penstock {

/// Columns a UTF-8 text takes on a terminal: none for combining marks, two for the
/// wide scripts and symbols of East Asia. A broken byte takes one.
std::size_t display_width(std::string_view text);

/// The text, or its beginning and "…" if it is wider than `width` (at least 1).
std::string shortened(std::string_view text, std::size_t width);

/// Filled up with spaces before or after to `width` columns.
std::string right_aligned(std::string_view text, std::size_t width);
std::string left_aligned(std::string_view text, std::size_t width);

/// "1,234,567.9": thousands apart, exactly `decimals` decimals.
std::string grouped(double value, int decimals);

/// "45 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
std::string rough_duration(Duration d);

}  // namespace penstock
