#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "live/job/job_pool.h"
#include "live/site/slurm_site.h"
#include "serve/api/job_view.h"

namespace penstock {

/// Jobs as columns of JSON: a tenth of the work of an object for each job, and a third of the
/// bytes. Times are milliseconds since 1970, nodes one text (docs/formats/api.md).
class JobColumns {
 public:
  void add(const TrackedJob& job, const SlurmSite& site, const SchedulerSnapshot& snapshot);
  void add(const PooledJob& job, const SchedulerSnapshot& snapshot);
  std::size_t rows() const { return rows_; }

  /// {"total":…,"event":…,"columns":{"id":[…],…}}; `event` is the id of the last event that the
  /// columns may include.
  std::string text(std::int64_t total, std::uint64_t event) const;

 private:
  enum Column : std::uint8_t {
    id,
    name,
    user,
    partition,
    state,
    gpus_held,
    gpus_asked,
    nodes,
    clock_mhz,
    submitted_ms,
    started_ms,
    expected_end_ms,
    ended_ms,
    deadline_ms,
    priority,
    kind,
    why
  };
  static constexpr std::size_t kColumns = why + 1;
  void put(Column column, std::string_view text);
  void put(Column column, std::uint64_t number);
  void put(Column column, const std::optional<double>& number);
  void put(Column column, const std::optional<Time>& when);

  std::size_t rows_ = 0;
  std::array<std::string, kColumns> columns_;
};

/// Adds a text to JSON, in quotes.
void append_json_text(std::string& json, std::string_view text);

}  // namespace penstock
