#pragma once

#include <functional>
#include <optional>

#include "live/site/site_state.h"

namespace penstock {

/// The speed and draw of jobs where they run: predicted by models, or measured by agents.
class PaceModel {
 public:
  explicit PaceModel(const SlurmSiteState& site) : site_(site) {}

  /// The speed and draw that models predict for a placed job. Work of rigid jobs is milliseconds.
  Pace modelled(const TrackedJob& job) const;
  /// The draw of all its GPUs: measured if possible, else predicted.
  Watts draw(const TrackedJob& job, Time now) const;
  /// The predicted draw of one of its GPUs, where it is or was last.
  Watts draw_per_gpu(const TrackedJob& job) const;

 private:
  const SlurmSiteState& site_;
};

/// Writes down the runs of jobs as they really were: when, where, how far each came.
class RunRecorder {
 public:
  /// Returns the last progress of a job whose run has ended: a checkpoint is written at the very
  /// end.
  using LastProgress = std::function<std::optional<JobProgress>(const TrackedJob& job, Time now)>;

  RunRecorder(SlurmSiteState& site, const PaceModel& pace) : site_(site), pace_(pace) {}

  void set_last_progress(LastProgress source) { last_progress_ = std::move(source); }
  /// Slurm shows a run of the job. Does nothing if the run is known.
  void begin(TrackedJob& job) const;
  /// The scheduler keeps the bill of its present run.
  static void watch(TrackedJob& job, const LiveRun::Watched& watched);
  /// The present run, if there is one, has ended; that is noted in the journal.
  void end(TrackedJob& job, Time now);
  /// Work done since the scheduler was told of the job, as far as that is known.
  double done_by(const TrackedJob& job, Time now) const;

 private:
  std::optional<Duration> start_lag(const TrackedJob& job) const;

  SlurmSiteState& site_;
  const PaceModel& pace_;
  LastProgress last_progress_;
};

}  // namespace penstock
