#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "io/scenario/scenario.h"
#include "report/jobs_csv.h"
#include "report/timeline_csv.h"

namespace penstock {

struct RunFileOptions {
  Duration timeline_every = std::chrono::minutes(10);
  bool decisions = false;
};

/// The files of one run, written while it goes by.
class RunFiles {
 public:
  /// Creates them in `dir`, which must exist; `origin` is t = 0 in all of them.
  static Result<RunFiles> create(const std::filesystem::path& dir, const Scenario& scenario,
                                 Time origin, const RunFileOptions& options);

  void before(Time now, const State& state, const Ledger& ledger);
  void decided(Time now, const Decision& decision, const State& state);
  void ended(const JobRecord& record) { jobs_.add(record); }
  Result<Done> close();

 private:
  RunFiles(const Scenario& scenario, Time origin, Duration every, JobsCsv jobs,
           TimelineCsv timeline, std::optional<OutputFile> decisions);
  void add_rows(Time now, const State& state, const Ledger& ledger);

  const Scenario& scenario_;
  Time origin_;
  Duration every_;
  Time next_row_;
  JobsCsv jobs_;
  TimelineCsv timeline_;
  std::optional<OutputFile> decisions_;
};

}  // namespace penstock
