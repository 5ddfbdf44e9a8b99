#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/site/run_recorder.h"

namespace penstock {

/// Compares the measured progress and power of jobs with what the scheduler believes, and emits
/// JobMeasured events where the difference matters.
class JobMeter {
 public:
  JobMeter(SlurmSiteState& site, const PaceModel& pace) : site_(site), pace_(pace) {}

  /// A job reported its progress.
  void on_progress(const std::string& ref, const JobProgress& progress);
  /// A run of the job is seen for the first time.
  void on_run_seen(TrackedJob& job, Time now);
  /// What the run before has saved is told at the next opportunity: while the job waits, or once it
  /// runs again.
  void keep_saved_work(TrackedJob& job);
  /// The last measurement of a job that ends in this batch.
  void on_end(TrackedJob& job, Time now);

  /// Updates is_due() and due_at(): whether a measurement has waited long enough, or matters at
  /// once.
  void update_due(Time now);
  bool is_due() const { return is_due_; }
  Time due_at() const { return due_at_; }
  /// Adds what was measured to a batch before everything else: of jobs as the last batch left them.
  void move_into(Batch& batch);

 private:
  bool has_agents() const;
  void add_running_jobs(Time now);
  std::optional<JobMeasured> measure(TrackedJob& job, Time now) const;
  std::optional<JobMeasured::Progress> new_progress(TrackedJob& job) const;
  JobMeasured::Progress progress_at_start(TrackedJob& job) const;
  std::optional<Watts> drew_since_bill(TrackedJob& job, Time now) const;
  Watts draw_before_work(TrackedJob& job, Duration waited) const;

  SlurmSiteState& site_;
  const PaceModel& pace_;
  JobTable::Refs to_measure_;    ///< jobs with something to measure
  std::vector<Event> of_ended_;  ///< measurements of jobs that end in this batch
  Time due_at_ = Time::max();
  bool is_due_ = false;
  Time last_bills_{};  ///< when all running jobs were last billed
};

}  // namespace penstock
