#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "page/row_reader.h"

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

}  // namespace penstock
