#include "live/site/job_table.h"

#include <algorithm>

namespace penstock {

const TrackedJob* JobTable::find(const std::string& ref) const {
  const auto found = jobs_.find(ref);
  return found == jobs_.end() ? nullptr : &found->second;
}

TrackedJob* JobTable::find(const std::string& ref) {
  const auto found = jobs_.find(ref);
  return found == jobs_.end() ? nullptr : &found->second;
}

const TrackedJob* JobTable::find(JobId id) const {
  const auto found = by_id_.find(id.index);
  return found == by_id_.end() ? nullptr : &jobs_.at(found->second);
}

void JobTable::set_id(TrackedJob& job, JobId id) {
  job.id = id;
  by_id_[id.index] = job.seen.ref;
}

void JobTable::clear_id(TrackedJob& job) {
  with_ops_.erase(job.seen.ref);
  by_id_.erase(job.id->index);
  job.id.reset();
  job.op.kind = PendingOp::Kind::none;
}

void JobHistory::recall(TrackedJob& job) {
  if (const auto known = posted_.find(job.seen.ref); known != posted_.end()) {
    job.shape = known->second;
    job.asked = known->second.gpus;
    job.changed = true;
    job.noted = true;
    if (job.shape.submitted) job.seen.submitted = job.shape.submitted;
  }
  job.handed_over = job.seen.admin_comment.starts_with(kLeftMark);
  const auto before = runs_.find(job.seen.ref);
  if (before == runs_.end()) return;
  job.runs_seen = std::move(before->second);
  runs_.erase(before);
  for (const LiveRun& run : job.runs_seen)
    job.done_before = std::max(job.done_before, run.done.value_or(0));
}

void JobHistory::forget_ends_except(const JobTable::Refs& present) {
  std::erase_if(reported_ends_, [&](const std::string& ref) { return !present.contains(ref); });
}

std::optional<TrackedJob> JobHistory::take_ended(JobId id) {
  const auto found = ended_.find(id.index);
  if (found == ended_.end()) return std::nullopt;
  TrackedJob ended = std::move(found->second);
  ended_.erase(found);
  return ended;
}

void JobHistory::add_bill(JobId id, const Bill& bill, JobTable& jobs) {
  const auto withdrawn = withdrawn_.find(id.index);
  if (withdrawn == withdrawn_.end()) return;
  if (TrackedJob* job = jobs.find(withdrawn->second)) job->bill_before += bill;
  withdrawn_.erase(withdrawn);
}

}  // namespace penstock
