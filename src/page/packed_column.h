#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// What stands for an undefined value in a column of whole numbers.
inline constexpr std::int32_t kNoWhole = INT32_MIN;

/// A column as a page has it: bytes in one of the ways that docs/formats/report.md names.
struct PackedColumn {
  std::string_view encoding{};  ///< "const" if all rows have one value; then there are no bytes
  std::size_t rows = 0;
  std::string bytes{};
  std::optional<double> value{};  ///< of "const"; nothing if it is undefined
};

/// Whole numbers in as few bytes as hold them all: one if none is undefined.
PackedColumn pack_whole(std::span<const std::int32_t> values);
/// As four bytes each, or two: for columns that readers expect so.
PackedColumn pack_wide(std::span<const std::int32_t> values);
/// Whole numbers that seldom fall, as differences from one to the next.
PackedColumn pack_growing(std::span<const std::int32_t> values);
/// Numbers to about four digits, which is what a picture or a table shows; NaN is undefined.
PackedColumn pack_numbers(std::span<const float> values);

}  // namespace penstock
