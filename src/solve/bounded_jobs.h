#pragma once

#include <vector>

#include "solve/least_use.h"

namespace penstock {

/// A job as bounds see it; times are seconds from the start of the run.
struct BoundedJob {
  double submitted = 0;
  double ready = 0;        ///< no earlier can it start, for its parents
  double fastest = 0;      ///< it takes so long at least
  double gpu_seconds = 0;  ///< it needs at least, on whatever type
  double deadline = 0;
  bool due = false;       ///< has a deadline
  double weight = 0;      ///< money for each second late; 0 without a deadline
  SiteId home = kNoSite;  ///< where its files are
  double gigabytes = 0;   ///< of them
  double work = 0;
  double width = 1;  ///< GPUs of a rigid job, whose ways are told for one
  double scale = 0;  ///< a way of one unit of work takes so many times its seconds
  std::uint32_t shape = 0;
};

/// What jobs of one shape need at least for one unit of work, by type.
struct BoundedShape {
  std::vector<Use> uses{};
};

struct BoundedJobs {
  std::vector<BoundedJob> jobs{};
  std::vector<BoundedShape> shapes{};
  std::vector<GpuDraw> draws{};  ///< by type
  bool rigid = true;             ///< all of them: their GPU-seconds are as many in every run
};

/// Reads all jobs there are. `draws` are by type.
BoundedJobs bounded_jobs(const BoundedWorld& world, std::vector<GpuDraw> draws, JobSource& source,
                         TellHull hull = TellHull::no);

/// The sum of completion times that no schedule can go below; see docs/bounds.md.
double least_total_completion(const std::vector<BoundedJob>& jobs, double gpus);

/// Seconds from the start after which the last job ends at the earliest.
double least_makespan(const BoundedWorld& world, const BoundedJobs& jobs);

}  // namespace penstock
