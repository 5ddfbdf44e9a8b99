#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/record.h"

namespace penstock {

/// A row of stretches.csv, times since the time origin.
struct StoredStretch {
  std::string_view job{};  ///< its name
  Duration from{};
  Duration to{};
  std::uint32_t first_range = 0;  ///< in StoredStretches::ranges
  std::uint32_t ranges = 0;
  std::uint32_t clock_mhz = 0;  ///< 0 if unknown
  StretchEnd end = StretchEnd::finished;
};

struct StoredStretches {
  std::vector<StoredStretch> rows{};
  std::vector<GpuRange> ranges{};  ///< of all of them; one may cross nodes
};

/// Reads a whole stretches.csv. The text is changed and must outlive the rows.
Result<StoredStretches> parse_stretches(std::string& text, const std::string& file);

}  // namespace penstock
