#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "report/output_file.h"

namespace penstock {

/// One site at one instant; it holds until the site's next row.
struct TimelineRow {
  Time time{};
  std::string_view site{};
  std::uint32_t busy_gpus = 0;  ///< held by jobs
  std::uint32_t idle_gpus = 0;  ///< held by none, on nodes that are awake
  std::uint32_t sleeping_nodes = 0;
  std::uint64_t queued_jobs = 0;  ///< of the whole system: queued jobs have no site yet
  std::uint64_t running_jobs = 0;
  Watts power{};  ///< drawn from the grid, PUE included
  Price price{};
  CarbonIntensity carbon{};
  std::optional<Watts> cap{};  ///< most the site may draw, if there is such a limit
};

/// The first line of timeline.csv.
std::string_view timeline_csv_header();

/// Appends one row, its time counted from `origin`.
void append_timeline(std::string& out, const TimelineRow& row, Time origin);

/// Writes timeline.csv.
class TimelineCsv {
 public:
  /// `origin` is t = 0: the first submission of the run.
  TimelineCsv(OutputFile file, Time origin);
  void add(const TimelineRow& row);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  Time origin_;
};

}  // namespace penstock
