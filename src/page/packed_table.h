#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "page/packed_column.h"
#include "page/population.h"
#include "page/stored_stretches.h"
#include "page/stored_timeline.h"
#include "page/time_unit.h"

namespace penstock {

/// Columns by name.
struct PackedTable {
  std::size_t rows = 0;
  std::vector<std::pair<std::string_view, PackedColumn>> columns{};
  std::uint64_t left_out = 0;  ///< rows that are not in it
};

/// What became of the jobs of a population; null where a job never ended.
PackedTable pack_jobs(std::span<const StoredJob* const> jobs, TimeUnit unit);

/// Finds the rows of a population by name, which several may share.
class JobNames {
 public:
  explicit JobNames(const Population& population);
  /// The row of the job of that name which held GPUs at that time in a run; nothing if there is
  /// none. `jobs` are the run's, matched to the population.
  std::optional<std::int32_t> row(std::string_view name, Duration from, Duration to,
                                  std::span<const StoredJob* const> jobs) const;

 private:
  std::unordered_map<std::string_view, std::int32_t> first_;
  std::vector<std::int32_t> next_;  ///< of the same name; -1 if there is none
};

struct StretchScope {
  const JobNames& names;
  std::span<const StoredJob* const> jobs;  ///< the run's, matched to the population
  TimeUnit unit{};
  std::size_t most_rows = 0;  ///< the shortest stretches are left out beyond that
};

/// A row for each range of each stretch, in order of their begin.
PackedTable pack_stretches(const StoredStretches& stretches, const StretchScope& scope);

/// One site's samples.
PackedTable pack_samples(std::span<const StoredSample> samples, TimeUnit unit);

}  // namespace penstock
