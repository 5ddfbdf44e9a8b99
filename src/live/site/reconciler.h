#pragma once

#include <optional>
#include <string>

#include "live/site/pool_launches.h"
#include "live/site/scheduler_feed.h"

namespace penstock {

/// Compares what Slurm shows of jobs with what the scheduler believes of them, and makes the two
/// agree: the scheduler is told what it does not know, and Slurm is asked for what it does not
/// show. Keeps no state but the jobs: whatever is lost on the way shows at the next comparison.
class Reconciler {
 public:
  /// The parts that it works with; all must outlive it.
  struct Parts {
    SlurmSiteState& site;
    SlurmPoller& poller;
    CommandQueue& commands;
    const PaceModel& pace;
    RunRecorder& runs;
    JobMeter& meter;
    SchedulerFeed& feed;
    PoolLaunches& launches;
  };
  explicit Reconciler(const Parts& parts) : parts_(parts), site_(parts.site) {}

  /// Stores the answer to a poll of all jobs; compare_all() acts on it.
  void take(const nlohmann::json& body);
  /// Stores Slurm's answer about one job, or about an array, and compares it.
  void take_one(const std::string& ref, const nlohmann::json& body, Time now);
  void compare_all(Time now);
  /// Compares the jobs that were held back in the last batch.
  void compare_held_back(Time now);
  /// Advances pending operations and launches, and asks Slurm about jobs that have one.
  void advance(Time now);
  /// Whether so many jobs change that all are asked for at once.
  bool many_change() const;
  /// Leaves a job to Slurm's own scheduler, as it was submitted. The job must wait.
  void hand_over(TrackedJob& job, const std::string& why, Time now);

 private:
  void observe(SlurmJob job);
  void compare(TrackedJob& job, Time now);
  void compare_unknown(TrackedJob& job, Time now);
  void compare_queued(TrackedJob& job, Time now);
  void compare_starting(TrackedJob& job, Time now);
  void compare_running(TrackedJob& job, Time now);
  void compare_stopping(TrackedJob& job, Time now);
  void on_started(TrackedJob& job, Time now);
  void on_started_at_old_place(TrackedJob& job, Time now);
  void on_ended_while_starting(TrackedJob& job, Time now);
  void on_stopped(TrackedJob& job, Time now);
  bool undo_if_slurm_waits(TrackedJob& job, Time now);
  void advance_op(TrackedJob& job, Time now);
  void release_for_good(TrackedJob& job, const std::string& why, Time now);
  void adopt(const PoolLaunches::Launch& launch, TrackedJob& job, Time now);
  bool is_second_copy(TrackedJob& job, Time now);
  bool may_be_submitted(const TrackedJob& job, Time now) const;
  bool is_where_it_should_be(const TrackedJob& job) const;
  bool is_some_job_stopping() const;

  Parts parts_;
  SlurmSiteState& site_;
  Time next_questions_{};  ///< when jobs with pending operations are asked about again
};

}  // namespace penstock
