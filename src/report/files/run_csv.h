#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "model/record.h"
#include "report/files/output_file.h"

namespace penstock {

/// The first line of jobs.csv.
std::string_view jobs_csv_header();

/// What all rows of one jobs.csv share.
struct JobsCsvSetting {
  std::string workload{};
  Time origin{};                     ///< t = 0: the first submission of the run
  std::vector<std::string> sites{};  ///< names, indexed by SiteId
  bool rents = false;                ///< some node has a table of rent
};

/// Appends the row of one job that has ended.
void append_job(std::string& out, const JobRecord& record, const JobsCsvSetting& setting);

/// Writes jobs.csv, a row for each job in the order in which they end.
class JobsCsv {
 public:
  JobsCsv(OutputFile file, JobsCsvSetting setting);
  void add(const JobRecord& record);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  JobsCsvSetting setting_;
};

/// The first line of stretches.csv.
std::string_view stretches_csv_header();

/// Writes stretches.csv, a row for each stretch in the order in which they end.
class StretchesCsv {
 public:
  /// `origin` is t = 0; `sites` are names, indexed by SiteId.
  StretchesCsv(OutputFile file, Time origin, std::vector<std::string> sites);
  void add(const Stretch& stretch);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  Time origin_;
  std::vector<std::string> sites_;
};

/// One site at one instant; it holds until the site's next row.
struct TimelineRow {
  Time time{};
  std::string site{};
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

/// The first line of reasons.csv.
std::string_view reasons_csv_header();

/// Writes reasons.csv: the reasons of a policy's decisions, a row whenever the reason changes. An
/// empty reason is no change.
class ReasonsCsv {
 public:
  /// `origin` is t = 0.
  ReasonsCsv(OutputFile file, Time origin);
  void add(Time now, std::string_view reason);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  Time origin_;
  std::string last_;
};

}  // namespace penstock
