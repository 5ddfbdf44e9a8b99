#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "live/job/tracked_job.h"

namespace penstock {

/// The jobs of one site, by what Slurm calls them (`ref`) and by the scheduler's ids. References to
/// jobs stay valid until the job is erased.
class JobTable {
 public:
  using ByRef = std::map<std::string, TrackedJob, RefOrder>;
  using Refs = std::set<std::string, std::less<>>;

  const ByRef& all() const { return jobs_; }
  ByRef& all() { return jobs_; }
  bool contains(const std::string& ref) const { return jobs_.contains(ref); }
  const TrackedJob* find(const std::string& ref) const;
  TrackedJob* find(const std::string& ref);

  /// Only jobs that the scheduler knows have an id.
  bool knows(JobId id) const { return by_id_.contains(id.index); }
  const TrackedJob* find(JobId id) const;
  TrackedJob& at(JobId id) { return jobs_.at(by_id_.at(id.index)); }
  const std::unordered_map<std::uint32_t, std::string>& refs_by_id() const { return by_id_; }
  void set_id(TrackedJob& job, JobId id);
  /// The scheduler knows it no longer. Forgets the pending operation too.
  void clear_id(TrackedJob& job);

  /// Jobs with a pending operation; some of them may have none any more.
  const Refs& with_ops() const { return with_ops_; }
  void add_op(const std::string& ref) { with_ops_.insert(ref); }
  void remove_op(const std::string& ref) { with_ops_.erase(ref); }

 private:
  ByRef jobs_;
  std::unordered_map<std::uint32_t, std::string> by_id_;
  Refs with_ops_;
};

/// Facts about jobs that are not in the table: what an earlier process wrote down, which ends were
/// reported, and ended jobs whose bill is yet to come.
class JobHistory {
 public:
  // Facts that an earlier process wrote down.
  void remember_run(const std::string& ref, const LiveRun& run) { runs_[ref].push_back(run); }
  void remember_end(const std::string& ref) { reported_ends_.insert(ref); }
  /// What its user asked for when it was first seen.
  void remember_asked(const std::string& ref, const TrackedJob::Asked& asked) {
    posted_.try_emplace(ref, asked);
  }
  /// Jobs that ended before this are not written down.
  void begin_at(Time when) { begins_ = when; }
  Time begins() const { return begins_; }
  /// Gives a job that is seen for the first time what is remembered of it.
  void recall(TrackedJob& job);

  // Ends, of jobs that Slurm still shows.
  bool is_end_reported(const std::string& ref) const { return reported_ends_.contains(ref); }
  /// False if that was so before.
  bool set_end_reported(const std::string& ref) { return reported_ends_.insert(ref).second; }
  void clear_end_reported(const std::string& ref) { reported_ends_.erase(ref); }
  void forget_ends_except(const JobTable::Refs& present);

  // Jobs whose bill the scheduler has yet to report.
  void keep_ended(JobId id, const TrackedJob& job) { ended_.insert_or_assign(id.index, job); }
  /// A job whose end was reported; forgets it.
  std::optional<TrackedJob> take_ended(JobId id);
  void keep_withdrawn(JobId id, const std::string& ref) { withdrawn_[id.index] = ref; }
  /// Adds the bill of a job that was withdrawn from the scheduler to the job, which may be
  /// submitted again.
  void add_bill(JobId id, const Bill& bill, JobTable& jobs);

 private:
  std::map<std::string, std::vector<LiveRun>, std::less<>> runs_;
  std::map<std::string, TrackedJob::Asked, std::less<>> posted_;
  std::set<std::string, std::less<>> reported_ends_;
  Time begins_{};
  std::map<std::uint32_t, TrackedJob> ended_;                 ///< by id
  std::unordered_map<std::uint32_t, std::string> withdrawn_;  ///< refs by id
};

}  // namespace penstock
