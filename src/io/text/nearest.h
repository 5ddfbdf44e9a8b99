#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace penstock {

/// How many letters must be inserted, deleted, replaced or swapped with their
/// neighbour to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate a user most likely meant by `name`; nothing if none is close.
/// Of equally close ones the first.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

/// The tail of an error message about an unknown name: "; did you mean 'easy'?",
/// or nothing if no candidate is close.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// Are two texts equal if the letters A to Z count as a to z?
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace penstock
