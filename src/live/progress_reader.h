#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "live/site/slurm_site.h"

namespace penstock {

/// Reads the progress files of running jobs in a thread of its own: a file system that hangs keeps
/// that thread, and nobody else. What it has read is taken by the thread that schedules, which
/// calls all functions here.
class ProgressReader {
 public:
  using Read = std::function<std::optional<JobProgress>(const std::string& path)>;
  /// `read` is called by the thread alone, which may outlive this if it hangs; `came`, by the same,
  /// when there is something to tell.
  ProgressReader(Read read, std::function<void()> came);
  /// Does not wait for a read that hangs.
  ~ProgressReader();
  ProgressReader(const ProgressReader&) = delete;
  ProgressReader& operator=(const ProgressReader&) = delete;

  /// Asks for the files of all running jobs, unless the last round is still under way: so no more
  /// reads wait than there are jobs.
  void look(std::span<SlurmSite* const> sites);
  /// Tells the sites what was read. What is of an earlier run of a job is dropped.
  void tell(std::span<SlurmSite* const> sites, Time now);
  /// What a job that has just stopped wrote last, read before all else. Waits for a moment, and not
  /// at all while a read hangs: then it is what was read before, if that was not told yet.
  std::optional<JobProgress> last_words(SiteId site, const TrackedJob& job, Time now);
  /// Has all that was asked for been read?
  bool is_idle() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  ///< the thread has the same
};

}  // namespace penstock
