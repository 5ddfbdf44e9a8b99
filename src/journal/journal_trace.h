#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/traces/trace.h"
#include "journal/ended_job.h"
#include "policy/recorded_run.h"

namespace penstock {

/// The real outcome of a job, as far as a trace does not hold it.
struct RecordedOutcome {
  Time submitted{};
  Time first_start{};
  Time finish{};
  std::optional<Time> deadline{};
  double energy_j = 0;
  double cost = 0;
  double carbon_g = 0;
  std::vector<RecordedRun> runs{};  ///< of one that is pinned, the last
};

/// Reads the jobs that have ended, each with how it really ran. Those that have not are counted in
/// a note. Jobs are named by the backend's numbers, "east/12" where the journal is about several
/// sites. Facts that the journal does not have stay unset: a job of unknown kind runs as asked.
Result<Trace> read_journal_trace(const std::filesystem::path& path, const TraceOptions& options);

/// The outcomes of the ended jobs, by the names of read_journal_trace(); may be empty. Entries that
/// cannot be read are passed over.
using RecordedOutcomes = std::map<std::string, RecordedOutcome, std::less<>>;
Result<RecordedOutcomes> read_recorded_outcomes(const std::filesystem::path& path);

/// The usual time that a start took: the mean over the starts that were observed, without the
/// quickest and the slowest quarter. Nothing if none was observed.
Result<std::optional<Duration>> read_start_lag(const std::filesystem::path& path);

/// A start of the daemon: the detail of an entry "began".
struct DaemonStart {
  std::int64_t entry = 0;
  Time when{};
  std::string mode{};  ///< "shadow", "fenced" or "live"
  std::string policy{};
  std::map<std::string, std::string, std::less<>> options{};
  std::string scenario{};  ///< TOML, without a workload
};

/// From the oldest on; an error if there is none.
Result<std::vector<DaemonStart>> read_daemon_starts(const std::filesystem::path& path);

}  // namespace penstock
