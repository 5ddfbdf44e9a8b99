#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/record.h"
#include "page/stored/row_reader.h"

namespace penstock {

/// A row of jobs.csv, times since the time origin. Texts are those of the file. NaN is undefined.
struct StoredJob {
  // As it was submitted:
  std::string_view name{};
  std::string_view kind{};
  std::string_view user{};
  std::string_view home{};
  Duration submitted{};
  Duration requested{};
  std::optional<Duration> deadline{};
  std::uint32_t gpus = 0;
  // What became of it:
  std::uint32_t site = 0;  ///< place among the run's sites
  std::uint32_t restarts = 0;
  Duration start{};
  Duration finish{};
  Duration held{};
  std::optional<Duration> tardiness{};
  bool killed = false;
  float gpus_mean = kUndefined;
  float clock_mhz = kUndefined;
  float energy_kwh = kUndefined;
  float cost = kUndefined;  ///< of energy and rent
  float carbon_kg = kUndefined;
  float predicted = kUndefined;
  float sent_gb = kUndefined;
};

/// Reads a whole jobs.csv. `sites` are the names in summary.json; one that is not among them is an
/// error, unless there are none at all. The text is changed and must outlive the rows.
Result<std::vector<StoredJob>> parse_jobs(std::string& text, const std::string& file,
                                          std::span<const std::string> sites);

/// A row of stretches.csv, times since the time origin.
struct StoredStretch {
  std::string_view job{};  ///< its name
  Duration from{};
  Duration to{};
  std::uint32_t first_range = 0;  ///< in StoredStretches::ranges
  std::uint32_t ranges = 0;
  std::uint32_t clock_mhz = 0;  ///< 0 if unknown
  StretchEnd end = StretchEnd::finished;
};

struct StoredStretches {
  std::vector<StoredStretch> rows{};
  std::vector<GpuRange> ranges{};  ///< of all of them; one may cross nodes
};

/// Reads a whole stretches.csv. The text is changed and must outlive the rows.
Result<StoredStretches> parse_stretches(std::string& text, const std::string& file);

/// A row of timeline.csv, its time since the time origin. NaN is undefined.
struct StoredSample {
  Duration time{};
  std::uint32_t busy = 0;
  std::uint32_t idle = 0;
  std::uint32_t sleeping = 0;
  std::uint32_t queued = 0;
  std::uint32_t running = 0;
  float power = kUndefined;
  float price = kUndefined;
  float carbon = kUndefined;
  float cap = kUndefined;
};

/// The rows of each site, in order of time; indexed by the place of its name in `sites`.
using StoredTimeline = std::vector<std::vector<StoredSample>>;

/// Reads a whole timeline.csv. The text is changed.
Result<StoredTimeline> parse_timeline(std::string& text, const std::string& file,
                                      std::span<const std::string> sites);

/// Replaces each `factor` consecutive rows by one, which has the time of the first, the highest
/// number of queued jobs, and the mean of every other column.
std::vector<StoredSample> thinned(std::span<const StoredSample> samples, std::size_t factor);
/// The factor for thinned() that turns `rows` into at most `most`; 1 if no more are there.
std::size_t thinning(std::size_t rows, std::size_t most);

/// A row of reasons.csv, its time since the time origin.
struct StoredReason {
  Duration time{};
  std::string_view text{};
};

/// Reads a whole reasons.csv. The text is changed and must outlive the rows.
Result<std::vector<StoredReason>> parse_reasons(std::string& text, const std::string& file);

/// A column of a training's curve: numbers, NaN where there is none, or words.
struct CurveColumn {
  std::string name{};
  std::variant<std::vector<double>, std::vector<std::string>> values{};
};

/// Reads the curve that `penstock train` writes. The text is changed.
Result<std::vector<CurveColumn>> parse_curve(std::string& text, const std::string& file);

/// The values of the keys that vary in a sweep, for each point in the order of sweep.csv.
struct StoredSweep {
  std::vector<std::string> keys{};
  std::vector<std::vector<std::string>> points{};  ///< a value for each key
};

/// Reads what varies from sweep.csv: the columns between `policy` and `seed`, and seed.
Result<StoredSweep> parse_sweep(std::string& text, const std::string& file);

}  // namespace penstock
