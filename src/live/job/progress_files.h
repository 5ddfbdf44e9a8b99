#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "live/job/tracked_job.h"

namespace penstock {

/// Parses the last whole line of a progress file: {"done": 1200, "saved": 1000}; nothing if it is
/// malformed.
std::optional<JobProgress> read_progress(std::string_view text, Time now);

/// The path of a job's progress file; nothing for a job that has none.
std::optional<std::string> progress_path(const TrackedJob& job);

/// Reads the progress files of jobs, WORK_DIR/penstock-JOB.progress. The files belong to users:
/// links, pipes and large files are not read, and only numbers are taken from them. Blocks as long
/// as the file system does.
class ProgressFiles {
 public:
  /// The progress, if the file was written since the last call.
  std::optional<JobProgress> read(const std::string& path);

 private:
  std::map<std::string, std::int64_t, std::less<>> written_;  ///< by path: time of its last change
};

}  // namespace penstock
