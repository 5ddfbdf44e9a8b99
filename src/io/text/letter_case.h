#pragma once

#include <algorithm>
#include <string_view>

namespace penstock {

/// The same words, whether their letters are large or small (of the Latin alphabet).
inline bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace penstock
