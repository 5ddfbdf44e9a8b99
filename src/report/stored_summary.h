#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/summary_json.h"

namespace penstock {

/// A summary.json, read back.
struct StoredSummary {
  SummaryHead head{};
  std::vector<RunSummary> runs{};
};

/// What summary_json() wrote, so that writing it again gives the same text. The error does not
/// name the file.
Result<StoredSummary> parse_summary(std::string_view text);

}  // namespace penstock
