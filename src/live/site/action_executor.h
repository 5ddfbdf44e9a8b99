#pragma once

#include "live/site/node_monitor.h"

namespace penstock {

/// Carries out actions that the scheduler's state already shows: changes what we believe of the
/// job, and asks Slurm for the same.
class ActionExecutor {
 public:
  /// The parts that it works with; all must outlive it.
  struct Parts {
    SlurmSiteState& site;
    CommandQueue& commands;
    const PaceModel& pace;
    SchedulerFeed& feed;
    NodeMonitor& nodes;
  };
  explicit ActionExecutor(const Parts& parts) : parts_(parts), site_(parts.site) {}

  /// Jobs that it is about must be in the site's table.
  void execute(const ActionRequest& request);

 private:
  void on(const Start& action, const Cause& cause);
  void on(const Preempt& action, const Cause& cause);
  void on(const Resize& action, const Cause& cause);
  void on(const Migrate& action, const Cause& cause);
  void on(const SetClock& action, const Cause& cause);
  void on(const SetBatch& action, const Cause& cause);
  void on(const Sleep& action, const Cause& cause);
  void on(const Wake& action, const Cause& cause);
  void on(const Route& action, const Cause& cause);
  void move(TrackedJob& job, const Placement& where, const Cause& cause);

  Parts parts_;
  SlurmSiteState& site_;
};

}  // namespace penstock
