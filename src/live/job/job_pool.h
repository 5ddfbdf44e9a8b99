#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bridge/command.h"
#include "live/job/tracked_job.h"
#include "model/job.h"

namespace penstock {

/// A job that was submitted to Penstock and that no cluster has yet; the router chooses its site.
struct PooledJob {
  std::int64_t number = 0;
  bridge::SubmitJob submission{};   ///< the command that submits it
  SlurmJob as_slurm{};              ///< the job as Slurm would show it
  std::optional<JobId> id{};        ///< nothing until the scheduler knows it
  std::optional<std::string> at{};  ///< the site that was asked to take it
  std::set<std::string> asked{};  ///< sites that an earlier daemon process may have submitted it to
};

/// A job of the pool from the command that will submit it; refused if it asks for no GPUs.
Result<PooledJob> pooled_job(std::int64_t number, const bridge::SubmitJob& submission,
                             Time submitted);

/// Jobs that wait for a site. They are in the journal before the scheduler knows them.
class JobPool {
 public:
  /// The next free number.
  std::int64_t next() const { return jobs_.empty() && last_ == 0 ? 1 : last_ + 1; }
  PooledJob& add(PooledJob job);
  PooledJob* find(std::int64_t number);
  PooledJob* find(JobId id);
  void remove(std::int64_t number);
  void set_id(PooledJob& job, JobId id);
  void clear_id(PooledJob& job);
  std::map<std::int64_t, PooledJob>& jobs() { return jobs_; }
  const std::map<std::int64_t, PooledJob>& jobs() const { return jobs_; }

 private:
  std::map<std::int64_t, PooledJob> jobs_;
  std::map<std::uint32_t, std::int64_t> by_id_;
  std::int64_t last_ = 0;
};

/// The text that marks a job as one of the pool; it follows the user's own comment.
std::string pool_mark(std::int64_t number);
/// The number in a comment that pool_mark() has marked.
std::optional<std::int64_t> pool_number(std::string_view comment);

}  // namespace penstock
