#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "io/scenario/scenario.h"
#include "report/files/run_csv.h"

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
  void ended(const JobRecord& record) { tables_.jobs.add(record); }
  void stretched(const Stretch& stretch) { tables_.stretches.add(stretch); }
  Result<Done> close();

 private:
  struct Tables {
    JobsCsv jobs;
    StretchesCsv stretches;
    TimelineCsv timeline;
    ReasonsCsv reasons;
  };
  static Result<Tables> create_tables(const std::filesystem::path& dir, const Scenario& scenario,
                                      Time origin);
  RunFiles(const Scenario& scenario, Time origin, Duration every, Tables tables,
           std::optional<OutputFile> decisions);
  void log(Time now, const Decision& decision, const State& state);

  const Scenario& scenario_;
  Time origin_;
  Duration every_;
  Time next_row_;
  Tables tables_;
  std::optional<OutputFile> decisions_;
};

}  // namespace penstock
