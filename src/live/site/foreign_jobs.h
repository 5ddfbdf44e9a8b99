#pragma once

#include <map>
#include <string>

#include "live/site/scheduler_feed.h"

namespace penstock {

/// Jobs that are not governed, while they run: the GPUs that they hold are blocked.
class ForeignJobs {
 public:
  ForeignJobs(SlurmSiteState& site, GpuBlocks& blocks, SchedulerFeed& feed)
      : site_(site), blocks_(blocks), feed_(feed) {}

  /// Blocks what Slurm shows such jobs to hold and is not blocked yet. Also to be called when
  /// nothing is new of them: a node that could not work, and now can, may have some.
  void block_all(Time now);
  /// Gives back what they held in runs that Slurm no longer shows.
  void unblock_ended();

 private:
  bool is_foreign(const SlurmJob& job) const;
  void block(const SlurmJob& job, Time now);

  SlurmSiteState& site_;
  GpuBlocks& blocks_;
  SchedulerFeed& feed_;
  std::map<std::string, GpuBlocks::Block, std::less<>> blocked_;  ///< by run and node
};

}  // namespace penstock
