#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace penstock {

/// With the letters A to Z as a to z.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace penstock
