#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "live/job/slurm_records.h"

namespace penstock {

/// All that a cluster shows of its jobs, put together from answers that tell only what has changed:
/// with 10 000 jobs that wait, nearly all are as they were.
class ShownJobs {
 public:
  struct Shown {
    SlurmJob job{};
    bool fresh = true;  ///< was in the last answer to a poll
  };

  /// Takes in the answer to a poll, and keeps the rest of what was told before if it says `news`.
  void take(const nlohmann::json& body);
  /// Takes in what was told of one job meanwhile.
  void take_one(const SlurmJob& job) { all_.insert_or_assign(job.number, Shown{job, false}); }
  /// By Slurm's number; tasks of an array that wait together are one.
  const std::map<std::int64_t, Shown>& all() const { return all_; }
  /// Whether a job, or some task of an array, was not over at the last poll.
  bool is_unfinished(std::int64_t number) const { return unfinished_.contains(number); }

 private:
  std::map<std::int64_t, Shown> all_;
  std::unordered_set<std::int64_t> unfinished_;  ///< jobs and arrays
};

/// What the jobs of a record are called: those of the tasks that wait together, or its own.
std::vector<std::string> refs_of(const SlurmJob& record);

}  // namespace penstock
