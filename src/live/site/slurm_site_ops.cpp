// Going on with what is under way.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/site/slurm_site.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using Seen = SlurmJob::Phase;

constexpr std::size_t kFewOps = 16;  // jobs are asked about one by one while no more change
constexpr Duration kBetweenLooks = std::chrono::milliseconds(400);
constexpr Duration kLongestPause = std::chrono::minutes(10);  // after starts that failed

}  // namespace

void SlurmSite::continue_ops(Time now) {
  watch_launches(now);
  const bool asks = now >= next_singles_ && in_op_.size() <= kFewOps;
  if (asks) next_singles_ = now + kBetweenLooks;
  for (const std::string& ref : std::set(in_op_)) {
    const auto found = jobs_.find(ref);
    if (found == jobs_.end() || found->second.op.kind == Op::none) {
      in_op_.erase(ref);
      continue;
    }
    continue_op(found->second, now);
    if (asks) ask_about(ref);
  }
  if (in_op_.size() > kFewOps) next_jobs_ = std::min(next_jobs_, now + std::chrono::seconds(1));
}

void SlurmSite::continue_op(TrackedJob& job, Time now) {
  if (was_told_apart(job)) return;
  if (job.op.kind == Op::starting) return compare(job, now);
  if (job.op.kind == Op::saving) {
    const bool saved = !job.progress.empty() && job.progress.back().saved &&
                       job.progress.back().when >= job.op.since;
    if (saved || now - job.op.since >= job.wish.grace)
      order_requeue(job, saved ? "its checkpoint is written" : "its time to save is over", now);
    return;
  }
  const bool still_runs = job.seen.phase == Seen::running && !job.seen.completing;
  if (still_runs && job.op.retry_at && now >= *job.op.retry_at)
    order_requeue(job, "once more: it still runs", now);
}

void SlurmSite::undo_start(TrackedJob& job, const std::string& why, Time now) {
  const Duration pause = std::min<Duration>(
      kLongestPause, std::chrono::seconds(15) * (1 << std::min(job.failed_starts, 6u)));
  ++job.failed_starts;
  job.not_before = now + pause;
  finish_op(job, RequestState::refused, why, now);
  note(now, &job, "start undone",
       {{"text", fmt::format("its start was undone: {}; next try in {} s at the earliest", why,
                             pause.count() / 1000)}});
  tell_interrupted(job, 0, now);
  order_hold(job, "its start was undone", now);  // it was released since Slurm last showed it
}

std::optional<std::string> SlurmSite::misshapen(JobId id, const Placement& where) const {
  const TrackedJob* job = find(id);
  if (job == nullptr || is_elastic(*job) || job->shape.gpus_per_node == 0 || job->shape.nodes == 0)
    return std::nullopt;
  const auto share = even_share(where, around_.cluster, mirror_);
  if (share && share->nodes.size() == job->shape.nodes &&
      share->gpus_each == job->shape.gpus_per_node)
    return std::nullopt;
  return fmt::format("its user asked for {} GPUs on each of {} nodes", job->shape.gpus_per_node,
                     job->shape.nodes);
}

void SlurmSite::leave(JobId id, const std::string& why, Time now) {
  TrackedJob& job = job_of(id);
  job.handed_over = true;
  note(now, &job, "left to Slurm", {{"text", "left to Slurm: " + why}});
  again_.insert(job.seen.ref);
}

std::optional<std::string> SlurmSite::unwilling(JobId id) const {
  const TrackedJob* job = find(id);
  if (job == nullptr) return "it is not a job of ours";
  if (job->not_before) return "its last start failed; it rests";
  if (job->handed_over) return "it was left to Slurm";
  if (job->gone || job->seen.phase == Seen::ended) return "Slurm shows that it has ended";
  if (job->op.kind == Op::none && job->seen.phase == Seen::running)
    return "Slurm has started it elsewhere";
  return std::nullopt;
}

}  // namespace penstock
