#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// `text` without blanks at either end.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The text as it may be shown in a message: quoted, and cut if it is long.
std::string in_quotes(std::string_view text);

/// Why `text` is no finite number of this kind.
Error not_a_number(std::string_view text, bool whole, bool too_large);

/// The number that is the whole of `text`, without blanks and without a plus
/// sign. NaN and infinities are refused: no file we read means them.
template <class T>
  requires std::integral<T> || std::floating_point<T>
Result<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool too_large = error == std::errc::result_out_of_range;
  if (error != std::errc{} || stop != end)
    return not_a_number(text, std::integral<T>, too_large && stop == end);
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) return not_a_number(text, false, false);
  }
  return value;
}

}  // namespace penstock
