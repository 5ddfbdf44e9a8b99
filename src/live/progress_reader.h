#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "live/site/slurm_site.h"

namespace penstock {

/// Reads the progress files of running jobs in a thread of its own, so that a file system that
/// hangs blocks only that thread. All functions are called by the thread that schedules.
class ProgressReader {
 public:
  using Read = std::function<std::optional<JobProgress>(const std::string& path)>;
  /// The reading thread calls `read`, and `on_progress` when there is something to deliver. The
  /// thread may outlive this object if it hangs.
  ProgressReader(Read read, std::function<void()> on_progress);
  /// Does not wait for a read that hangs.
  ~ProgressReader();
  ProgressReader(const ProgressReader&) = delete;
  ProgressReader& operator=(const ProgressReader&) = delete;

  /// Requests the files of all running jobs, unless the last round is still under way: at most one
  /// read per job is pending.
  void request_reads(std::span<SlurmSite* const> sites);
  /// Passes what was read to the sites. What belongs to an earlier run of a job is dropped.
  void deliver(std::span<SlurmSite* const> sites, Time now);
  /// The last progress of a job that has just stopped; its file is read before all others. Waits
  /// for a moment, or not at all while a read hangs: then it is what was read before and not
  /// delivered yet.
  std::optional<JobProgress> last_progress(SiteId site, const TrackedJob& job, Time now);
  /// Whether all requested files have been read.
  bool is_idle() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  ///< the thread has the same
};

}  // namespace penstock
