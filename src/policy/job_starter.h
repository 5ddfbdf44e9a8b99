#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "policy/place/pool.h"
#include "policy/policy.h"

namespace penstock {

/// Starts waiting jobs on free GPUs. It keeps track of free GPUs by the events of every view, so
/// that a policy which only starts jobs needs to choose only the next job; waiting jobs are in
/// `view.state.queue()`. A policy that holds one issues no action of its own but Route, Sleep and
/// Wake.
class JobStarter {
 public:
  /// `cluster` must outlive it.
  explicit JobStarter(const Cluster& cluster, PlaceRule rule = PlaceRule::first_fit);

  /// Applies the events of the view. To be called first in every decide().
  void update(const View& view);

  /// Adds the start of a queued job to `decision`, with the reason if reasons are read. False if no
  /// free GPUs suit the job; then nothing is changed.
  bool start(const JobState& job, const View& view, Decision& decision, const std::string& reason);

 private:
  void on(const JobFinished& e) { release(e.job); }
  void on(const JobInterrupted& e) { release(e.job); }
  void on(const NodeFailed& e) { pool_of(e.node).node_down(e.node); }
  void on(const NodeRepaired& e) { pool_of(e.node).node_up(e.node); }
  void on(const JobStarted& e);
  void on(const Refused& e);
  // Who waits is in the state; these change nothing that is free.
  void on(const JobSubmitted& /*e*/) {}
  void on(const JobReady& /*e*/) {}
  void on(const JobArrived& /*e*/) {}
  void on(const JobWithdrawn& /*e*/) {}
  void on(const JobMeasured& /*e*/) {}

  void release(JobId job);
  Pool& pool_of(NodeId node);
  Pool& pool_of(const Placement& where);

  const Cluster& cluster_;
  std::vector<Pool> pools_;
  std::map<JobId, Placement> held_;  ///< by jobs that run
};

}  // namespace penstock
