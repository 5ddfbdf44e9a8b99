#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "page/packed/tables.h"
#include "page/page.h"
#include "page/stored/run.h"

namespace penstock {

/// One site's part of a timeline.
struct PackedSite {
  std::uint32_t site = 0;
  std::size_t thinned = 1;
  PackedTable samples{};
};

/// The columns of one run.
struct PackedRun {
  TimeUnit unit{};
  std::optional<std::size_t> population{};
  std::optional<PackedTable> jobs{};
  std::optional<PackedTable> stretches{};
  std::optional<std::vector<PackedSite>> timeline{};
};

struct PackedRuns {
  std::vector<Population> populations{};
  std::vector<TimeUnit> units{};  ///< of populations
  std::vector<PackedRun> runs{};
  std::vector<std::string> notes{};
};

struct PackRequest {
  std::span<const StoredRun> runs;
  std::span<const RunTables> tables;  ///< one for each
  PageLimits limits{};
  unsigned threads = 1;
};

/// Packs everything. The tables must outlive the populations.
Result<PackedRuns> pack_runs(const PackRequest& request);

}  // namespace penstock
