#pragma once

#include <ostream>
#include <span>

#include "model/trace.h"

namespace penstock {

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
