#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/record.h"
#include "report/output_file.h"

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

}  // namespace penstock
