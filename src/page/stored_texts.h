#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace penstock {

/// A row of reasons.csv, its time since the time origin.
struct StoredReason {
  Duration time{};
  std::string_view text{};
};

/// Reads a whole reasons.csv. The text is changed and must outlive the rows.
Result<std::vector<StoredReason>> parse_reasons(std::string& text, const std::string& file);

/// A column of a training's curve: numbers, NaN where there is none, or words.
struct CurveColumn {
  std::string name{};
  std::variant<std::vector<double>, std::vector<std::string>> values{};
};

/// Reads the curve that `penstock train` writes. The text is changed.
Result<std::vector<CurveColumn>> parse_curve(std::string& text, const std::string& file);

/// The values of the keys that vary in a sweep, for each point in the order of sweep.csv.
struct StoredSweep {
  std::vector<std::string> keys{};
  std::vector<std::vector<std::string>> points{};  ///< a value for each key
};

/// Reads what varies from sweep.csv: the columns between `policy` and `seed`, and seed.
Result<StoredSweep> parse_sweep(std::string& text, const std::string& file);

}  // namespace penstock
