#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/measures/run_summary.h"

namespace penstock {

/// What made the runs of one summary.json.
struct SummaryHead {
  std::string version{};  ///< of the program
  std::string scenario{};
  std::string scenario_hash{};
  std::uint64_t seed = 0;
  std::string currency{};
  /// Of a point of a sweep: what tells it from all others, by name. Empty elsewhere.
  std::vector<std::pair<std::string, std::string>> point{};
};

/// The whole text of summary.json: keys always in the same order, numbers in the
/// fewest digits that read back exactly, undefined values as null.
std::string summary_json(const SummaryHead& head, std::span<const RunSummary> runs);

/// A text as JSON has it, in quotes.
std::string json_string(std::string_view text);

/// A summary.json, read back.
struct StoredSummary {
  SummaryHead head{};
  std::vector<RunSummary> runs{};
};

/// What summary_json() wrote, so that writing it again gives the same text. The error does not
/// name the file.
Result<StoredSummary> parse_summary(std::string_view text);

}  // namespace penstock
