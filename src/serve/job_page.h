#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/time.h"
#include "live/slurm_site.h"
#include "serve/job_sight.h"
#include "serve/journal.h"

namespace penstock {

/// A job as the API shows it (docs/formats/api.md).
nlohmann::ordered_json job_json(const TrackedJob& job, const SlurmSite& site,
                                const JobSight& sight);
/// What is shown of a job beside what Slurm tells.
struct JobFacts {
  std::string_view state{};      ///< as state_word()
  std::uint32_t gpus = 0;        ///< that it holds
  std::uint32_t gpus_asked = 0;  ///< by its user, whatever we have asked for since
  std::optional<double> clock_mhz{};
  std::optional<Time> expected_end{};
  std::optional<Time> deadline{};
  std::string why{};  ///< it is so
};
JobFacts facts_of(const TrackedJob& job, const SlurmSite& site, const JobSight& sight);

/// "queued", "starting", "running", "stopping" or "ended".
std::string_view state_word(const TrackedJob& job);

/// The life of a job by what the journal has of it, in order of time.
Result<nlohmann::ordered_json> life_json(Journal& journal, const std::string& site,
                                         std::int64_t job);

/// The same of these entries and requests.
nlohmann::ordered_json life_json(const std::vector<JournalEntry>& entries,
                                 const std::vector<JournalRequest>& requests);

/// ISO text, or null.
nlohmann::ordered_json time_json(const std::optional<Time>& when);

}  // namespace penstock
