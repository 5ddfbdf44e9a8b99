#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/site/command_queue.h"
#include "live/site/gpu_blocks.h"
#include "live/site/job_meter.h"

namespace penstock {

/// Tells the scheduler what happened to jobs, and keeps our copy of what it believes in step: each
/// emit_ function adds the events, changes the job and the GPUs that it holds, and notes it in the
/// journal.
class SchedulerFeed {
 public:
  /// The parts that it works with; all must outlive it.
  struct Parts {
    SlurmSiteState& site;
    SlurmPoller& poller;
    CommandQueue& commands;
    const PaceModel& pace;
    RunRecorder& runs;
    JobMeter& meter;
    GpuBlocks& blocks;
  };
  explicit SchedulerFeed(const Parts& parts) : parts_(parts), site_(parts.site) {}

  /// Submits a job to the scheduler as `made`, whose id is set here.
  void emit_submitted(TrackedJob& job, Job made, Time now);
  /// The job was found running. False if the GPUs that it has are not free in the scheduler's
  /// picture; then all jobs are asked for again.
  bool emit_started(TrackedJob& job, Time now);
  void emit_finished(TrackedJob& job, Time now);
  /// A job that is gone, or that rests after a start that failed.
  void emit_withdrawn(TrackedJob& job, Time now);
  /// A job that the scheduler believes to run does not; `kept` of its work is saved.
  void emit_interrupted(TrackedJob& job, double kept, Time now);
  /// Interrupts a start that will not come, and holds the job for a while.
  void undo_start(TrackedJob& job, const std::string& why, Time now);
  /// The end of a job of which the scheduler knows nothing, or nothing more.
  void record_unseen_end(TrackedJob& job, Time now);

  /// Marks GPUs as held by the job in the picture of what the scheduler believes.
  void take_gpus(TrackedJob& job, const Placement& where);
  void give_back_gpus(TrackedJob& job);
  /// Free GPUs in the scheduler's picture for a job that holds `held` in Slurm. If too few are
  /// free, starts that Slurm has not carried out yet are undone. Nothing if there are still not
  /// enough.
  std::optional<Placement> find_gpus(const std::vector<SlurmJob::Held>& held, Time now);

 private:
  void make_room(NodeId node, std::uint32_t gpus, Time now);

  Parts parts_;
  SlurmSiteState& site_;
};

}  // namespace penstock
