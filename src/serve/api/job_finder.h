#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"
#include "live/slurm_backend.h"

namespace penstock {

/// A job by its site and what Slurm calls it there.
struct JobAt {
  std::size_t site = 0;
  std::string ref{};
};

/// The cluster's number of a job. Ended jobs are known by their numbers only.
std::int64_t job_number(const SlurmSite& site, const std::string& ref);

/// Finds jobs by the ids that users write. For the thread that schedules.
class JobFinder {
 public:
  /// Both must outlive it.
  JobFinder(SlurmBackend& backend, Journal& journal) : backend_(backend), journal_(journal) {}

  /// Which job "east/12", "12" or "pool/3" is. The error says what is possible.
  Result<JobAt> find(const std::string& id) const;

 private:
  Result<JobAt> find_at(std::string_view site, const std::string& ref) const;
  Result<JobAt> find_anywhere(const std::string& ref) const;
  Result<JobAt> find_placed(std::int64_t pooled) const;
  /// The sites that show such a job, else those of such a job in the journal.
  std::vector<std::size_t> sites_of(const std::string& ref) const;

  SlurmBackend& backend_;
  Journal& journal_;
};

}  // namespace penstock
