#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "live/job/tracked_job.h"

namespace penstock {

/// The last whole line of what a job wrote: {"done": 1200, "saved": 1000}; nothing if it is not so.
std::optional<JobProgress> read_progress(std::string_view text, Time now);

/// Where a job says how far it is; nothing of one that is not asked.
std::optional<std::string> progress_path(const TrackedJob& job);

/// Reads what jobs say of their progress in WORK_DIR/penstock-JOB.progress. Files belong to users:
/// links, pipes and large ones are not followed, and all that is taken from them is numbers. May
/// take as long as the file system does.
class ProgressFiles {
 public:
  /// What was written since the file was last looked at.
  std::optional<JobProgress> read(const std::string& path);

 private:
  std::map<std::string, std::int64_t, std::less<>> written_;  ///< by path: time of its last change
};

}  // namespace penstock
