#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace penstock {

/// The columns of our own trace table, in the order in which they are written.
/// `job` numbers the rows; `parents` are such numbers between blanks. Times are
/// dates in UTC; names with `_s` are seconds.
inline constexpr std::array<std::string_view, 15> kCsvColumns{
    "job",      "name",     "submitted",       "gpus",    "requested_s", "actual_s",
    "deadline", "priority", "tardiness_per_s", "parents", "user",        "group",
    "kind",     "load",     "gpu_spec"};
enum class CsvColumn : std::uint8_t {
  job,
  name,
  submitted,
  gpus,
  requested_s,
  actual_s,
  deadline,
  priority,
  tardiness_per_s,
  parents,
  user,
  group,
  kind,
  load,
  gpu_spec
};

}  // namespace penstock
