#pragma once

#include <vector>

#include "solve/windows.h"

namespace penstock {

/// Jobs that are much alike, taken together.
struct JobClass {
  std::size_t first = 0;    ///< window of submission
  std::size_t last = 0;     ///< window after which nothing is planned
  std::vector<Use> uses{};  ///< of all of them, by type
  double weight = 0;        ///< money for each second that all of them are late
  double weighted_deadline = 0;
  double gpu_seconds = 0;
  double fastest = 0;   ///< their mean, by GPU-seconds
  double late = 0;      ///< what it counts if they all are late
  double due = 0;       ///< jobs that need not be
  double deadline = 0;  ///< their mean
  SiteId home = kNoSite;
  double gigabytes = 0;
};

/// All jobs in classes. With so few that a linear program with a variable for each of a class's
/// windows and pools has at most `most_columns`, if that is possible at all.
std::vector<JobClass> job_classes(const PricedWork& priced, std::size_t most_columns);

}  // namespace penstock
