#include "page/packed/column.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace penstock {
namespace {

constexpr std::int32_t kNoShort = INT16_MIN;

/// All lowest bytes, then all second ones, and so on: like stands beside like.
template <class Word>
std::string byte_planes(std::span<const Word> words, std::size_t width) {
  std::string bytes(words.size() * width, '\0');
  for (std::size_t plane = 0; plane < width; ++plane) {
    char* out = bytes.data() + plane * words.size();
    for (const Word word : words) *out++ = static_cast<char>(word >> (8 * plane) & 0xff);
  }
  return bytes;
}

std::string planes_of(std::span<const std::int32_t> values, std::size_t width) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  for (const std::int32_t value : values)
    words.push_back(static_cast<std::uint32_t>(width == 2 && value == kNoWhole ? kNoShort : value));
  return byte_planes(std::span<const std::uint32_t>(words), width);
}

bool all_same(std::span<const std::int32_t> values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

std::optional<PackedColumn> constant(std::span<const std::int32_t> values) {
  if (!all_same(values)) return std::nullopt;
  PackedColumn column{.encoding = "const", .rows = values.size()};
  if (!values.empty() && values.front() != kNoWhole) column.value = values.front();
  return column;
}

bool fit(std::span<const std::int32_t> values, std::int32_t least, std::int32_t most) {
  return std::ranges::all_of(values, [=](std::int32_t v) { return v >= least && v <= most; });
}

bool fit_short(std::span<const std::int32_t> values) {
  return std::ranges::all_of(
      values, [](std::int32_t v) { return v == kNoWhole || (v > kNoShort && v <= INT16_MAX); });
}

/// The nearest number whose last ten bits are zero, which pack to next to nothing.
std::uint32_t rounded_bits(float value) {
  if (!std::isfinite(value)) return 0x7fc00000;  // NaN
  constexpr std::uint32_t kDropped = 10;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t up = (bits + (1u << (kDropped - 1))) & ~((1u << kDropped) - 1);
  return std::isfinite(std::bit_cast<float>(up)) ? up : bits & ~((1u << kDropped) - 1);
}

}  // namespace

PackedColumn pack_wide(std::span<const std::int32_t> values) {
  if (auto same = constant(values)) return *std::move(same);
  const bool is_short = fit_short(values);
  return {.encoding = is_short ? "i16s" : "i32s",
          .rows = values.size(),
          .bytes = planes_of(values, is_short ? 2 : 4)};
}

PackedColumn pack_whole(std::span<const std::int32_t> values) {
  if (auto same = constant(values)) return *std::move(same);
  if (!fit(values, 0, UINT8_MAX)) return pack_wide(values);
  return {.encoding = "u8", .rows = values.size(), .bytes = planes_of(values, 1)};
}

PackedColumn pack_growing(std::span<const std::int32_t> values) {
  if (auto same = constant(values)) return *std::move(same);
  std::vector<std::uint32_t> steps;
  steps.reserve(values.size());
  std::uint32_t last = 0;
  for (const std::int32_t value : values) {
    steps.push_back(static_cast<std::uint32_t>(value) - last);
    last = static_cast<std::uint32_t>(value);
  }
  return {.encoding = "i32ds",
          .rows = values.size(),
          .bytes = byte_planes(std::span<const std::uint32_t>(steps), 4)};
}

PackedColumn pack_numbers(std::span<const float> values) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  for (const float value : values) words.push_back(rounded_bits(value));
  if (std::ranges::adjacent_find(words, std::ranges::not_equal_to{}) == words.end()) {
    PackedColumn column{.encoding = "const", .rows = values.size()};
    if (!values.empty() && std::isfinite(values.front()))
      column.value = static_cast<double>(values.front());
    return column;
  }
  return {.encoding = "f32s",
          .rows = values.size(),
          .bytes = byte_planes(std::span<const std::uint32_t>(words), 4)};
}

}  // namespace penstock
