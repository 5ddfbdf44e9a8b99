#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/stored_jobs.h"
#include "page/stored_run.h"
#include "page/stored_stretches.h"
#include "page/stored_texts.h"
#include "page/stored_timeline.h"

namespace penstock {

/// The texts of the files of a run, to which its tables point.
struct RunTexts {
  std::optional<std::string> jobs{};
  std::optional<std::string> stretches{};
  std::optional<std::string> timeline{};
  std::optional<std::string> reasons{};
};

/// What the files of a run hold; what is not there is absent, and told in `notes`.
struct RunTables {
  RunTexts texts{};
  std::optional<std::vector<StoredJob>> jobs{};
  std::optional<StoredStretches> stretches{};
  std::optional<StoredTimeline> timeline{};
  std::optional<std::vector<StoredReason>> reasons{};
  std::vector<std::string> notes{};
};

/// Reads the files of a run. One whose jobs are not as many as its summary counts is an error.
Result<RunTables> read_tables(const StoredRun& run);

/// The same of texts that are at hand.
Result<RunTables> parse_tables(const StoredRun& run, RunTexts texts);

}  // namespace penstock
