#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "page/packed/column.h"
#include "page/stored/tables.h"

namespace penstock {

/// The submitted jobs in order of submission, those of one instant by name. Runs over the same jobs
/// share one.
struct Population {
  std::vector<const StoredJob*> jobs{};
  std::uint64_t submitted = 0;  ///< as in summary.json: also jobs that never ended
};

/// The jobs of a run in that order.
std::vector<const StoredJob*> in_order(std::span<const StoredJob> jobs);

/// Adds the jobs of a run, which must be in order, to the population if both come from the same
/// submissions: both numbers of submitted jobs are equal, and the union has no more jobs than that
/// or than the larger of the two lists. Returns false, and changes nothing, otherwise.
bool join(Population& population, std::span<const StoredJob* const> jobs, std::uint64_t submitted);

/// For each job of the population the run's own row; null where it never ended. `jobs` must be in
/// order and have been joined to the population.
std::vector<const StoredJob*> matched(const Population& population,
                                      std::span<const StoredJob* const> jobs);

/// Columns by name.
struct PackedTable {
  std::size_t rows = 0;
  std::vector<std::pair<std::string_view, PackedColumn>> columns{};
  std::uint64_t left_out = 0;  ///< rows that are not in it
};

/// The results of the jobs of a population; null where a job never ended.
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
