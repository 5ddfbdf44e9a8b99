#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/trace.h"

namespace penstock {

class TraceRows;

/// Which part of a trace is read, and how it is laid on the calendar.
struct TraceOptions {
  bool strict = true;  ///< stop at the first bad row; otherwise drop, count and report it
  /// Where t = 0 of a trace of relative times lies; a trace with dates of its own
  /// is shifted so that its first submission, those skipped included, falls here.
  std::optional<Time> start{};
  std::uint64_t skip = 0;                ///< not the first so many jobs of what remains
  std::optional<std::uint64_t> limit{};  ///< the first so many jobs of what then remains
  std::optional<Time> from{};            ///< submitted at or after, by the trace's own dates
  std::optional<Time> until{};           ///< submitted before, by the trace's own dates
  double load = 1;                       ///< 2 lets jobs arrive twice as densely
  std::optional<std::uint32_t> gpus_max{};
  std::optional<Duration> min_duration{};  ///< not jobs that really run shorter
  /// Jobs that ask for no time get actual · U[1, request_factor], seeded; 1 is exact.
  double request_factor = 1;
  Duration restart{};  ///< what starting a job again took, where the trace knows its runs
  std::uint64_t seed = 0;
};

/// Checks that the options are possible.
Result<Done> check_options(const TraceOptions& options);

/// Why rows did not become jobs, how many, and the first few of them.
struct DroppedRows {
  std::string reason{};  ///< "num_gpus: not positive"
  std::uint64_t count = 0;
  std::vector<std::string> examples{};  ///< "file:line: field: what"
};

/// What a reader found, did and dropped.
struct TraceReport {
  std::string file{};
  std::string format{};
  std::string time_unit{};         ///< "minutes"
  std::string time_unit_reason{};  ///< why that unit is assumed
  bool dated = false;              ///< the file has calendar dates; else t = 0 was laid somewhere
  std::uint64_t rows_read = 0;
  std::uint64_t rows_kept = 0;
  std::vector<DroppedRows> bad{};       ///< implausible
  std::vector<DroppedRows> left_out{};  ///< fine, but no GPU job, or not asked for
  std::vector<std::string> notes{};
};

/// Jobs sorted by (submission, order in the file) and numbered 0, 1, 2 … as
/// `job.id`; parents before children. Never empty when it comes from a reader.
struct Trace {
  std::vector<TracedJob> jobs{};
  TraceReport report{};
};

/// One row per format that can be read.
struct TraceFormat {
  std::string_view name{};
  std::string_view description{};
  std::string_view time_unit{};
  std::string_view time_unit_reason{};
  Result<Done> (*read)(std::string_view text, TraceRows& rows) = nullptr;
  bool draws_jobs = false;  ///< a scenario draws its jobs from what the file holds
};
std::span<const TraceFormat> all_trace_formats();
/// Null if there is none of that name.
const TraceFormat* find_trace_format(std::string_view name);

/// Reads a whole trace; ".gz" is unpacked on the way.
Result<Trace> read_trace(const std::filesystem::path& path, std::string_view format,
                         const TraceOptions& options);
/// Reads a trace from memory; `file` is what messages call it.
Result<Trace> parse_trace(std::string_view text, std::string file, std::string_view format,
                          const TraceOptions& options);

/// The probable format of a trace, by its first line or its JSON keys, and the reason.
struct FormatGuess {
  std::string_view format{};
  std::string reason{};
};
std::optional<FormatGuess> guess_format(std::string_view text);

}  // namespace penstock
