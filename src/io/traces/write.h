#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <string_view>

#include "model/trace.h"

namespace penstock {

/// The columns of our own trace table, in the order in which they are written.
/// `job` numbers the rows; `parents` are such numbers between blanks. Times are
/// dates in UTC; names with `_s` are seconds.
inline constexpr std::array<std::string_view, 16> kCsvColumns{
    "job",      "name",     "submitted",       "gpus",    "requested_s", "actual_s",
    "deadline", "priority", "tardiness_per_s", "parents", "user",        "group",
    "kind",     "load",     "gpu_spec",        "batch"};
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
  gpu_spec,
  batch
};

/// Our own table of jobs, which format "csv" reads back as they were. Which of a
/// cluster's GPU types a job may use is not in it: that follows from `gpu_spec`.
class TraceCsvWriter {
 public:
  explicit TraceCsvWriter(std::ostream& out);
  void write(const TracedJob& traced);

 private:
  std::ostream& out_;
};

/// Standard Workload Format: users, groups and kinds become numbers by first
/// appearance; deadlines, parents, loads and GPU types are lost. Seconds get a
/// fraction only where a job needs it. UnixStartTime is the first submission.
void write_swf(std::ostream& out, std::span<const TracedJob> jobs);
void write_csv(std::ostream& out, std::span<const TracedJob> jobs);

}  // namespace penstock
