#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "live/slurm_site.h"

namespace penstock {

/// The last whole line of what a job wrote: {"done": 1200, "saved": 1000}; nothing if it is not so.
std::optional<JobProgress> read_progress(std::string_view text, Time now);

/// Reads what running jobs say of their progress in WORK_DIR/penstock-JOB.progress. Files belong to
/// users: links, pipes and large ones are not followed, and all that is taken from them is numbers.
class ProgressFiles {
 public:
  void look(SlurmSite& site, Time now);
  /// What a job wrote since it was last looked at.
  std::optional<JobProgress> read(const TrackedJob& job, Time now);

 private:
  std::map<std::string, std::int64_t, std::less<>> written_;  ///< by path: time of its last change
};

}  // namespace penstock
