#include "live/job/tracked_job.h"

#include <algorithm>

namespace penstock {

bool is_over(const TrackedJob& job) {
  return job.gone || job.seen.phase == SlurmJob::Phase::ended;
}

bool is_elastic(const TrackedJob& job) {
  return job.user_options.gpus && job.user_options.gpus->least < job.user_options.gpus->most;
}

bool saves_work(const TrackedJob& job) {
  return job.user_options.checkpoint || is_elastic(job);
}

double saved_in_runs(const TrackedJob& job) {
  double done = 0;
  if (!saves_work(job)) return done;
  for (const LiveRun& run : job.runs_seen)
    if (run.ended && run.done) done = std::max(done, *run.done - job.done_before);
  return done;
}

std::optional<Speed> reported_speed(const TrackedJob& job) {
  if (job.progress.size() < 2) return std::nullopt;
  const JobProgress& first = job.progress.front();
  const JobProgress& last = job.progress.back();
  const Duration passed = last.when - first.when;
  if (passed < std::chrono::seconds(2) || !(last.done > first.done)) return std::nullopt;
  return Work(last.done - first.done) / passed;
}

std::optional<std::string> why_not_start(const TrackedJob& job) {
  if (job.not_before) return "its last start failed; it rests";
  if (job.handed_over) return "it was left to Slurm";
  if (is_over(job)) return "Slurm shows that it has ended";
  if (job.op.kind == PendingOp::Kind::none && job.seen.phase == SlurmJob::Phase::running)
    return "Slurm has started it elsewhere";
  return std::nullopt;
}

}  // namespace penstock
