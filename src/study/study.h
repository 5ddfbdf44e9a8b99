#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "experiment/comparison.h"
#include "page/page.h"

namespace penstock {

/// A policy that a study runs, by the name that its tables use.
struct Method {
  std::string name{};  ///< "fifo", "pr", "rg published"
  PolicyChoice choice{};
};

/// One method of a study on one workload.
struct MethodRun {
  std::string method{};
  RunSummary run{};
};

/// A field of a run that tables and scores are made of.
using RunField = std::optional<double> RunSummary::*;

/// Null if the method has not run.
const RunSummary* find_run(const std::vector<MethodRun>& runs, std::string_view method);
/// The run of a method that has run.
const RunSummary& run_of(const std::vector<MethodRun>& runs, std::string_view method);

/// Loads the experiment with these methods as its policies.
Result<Experiment> load_methods(ExperimentSpec spec, const std::vector<Method>& methods);
/// Runs an experiment that load_methods() loaded with the same methods.
Result<std::vector<MethodRun>> run_methods(const Experiment& experiment, const RunOptions& options,
                                           const std::vector<Method>& methods);
/// Both in one.
Result<std::vector<MethodRun>> load_and_run(ExperimentSpec spec, const RunOptions& options,
                                            const std::vector<Method>& methods);

/// A file that a study writes into its folder.
struct StudyFile {
  std::string name{};
  std::string text{};
};

/// What a study is asked for. Studies print nothing.
struct StudyRequest {
  std::filesystem::path data{"data"};  ///< Penstock's folder of data
  std::filesystem::path weights{};     ///< folder of trained networks
  std::vector<std::string> only{};     ///< workloads by name; all of the study if empty
  std::uint32_t windows = 0;           ///< of each workload; 0: as many as `quick` says
  bool quick = false;                  ///< fewer and smaller cases
  bool tuning = false;  ///< the cases on which policies were tuned, where there are any
  unsigned threads = 1;
  NoteCallback note{};  ///< gets a line for each case
  /// Is given study.csv with all cases so far after each of them, so that a study that is stopped
  /// leaves what it found. An error ends the study.
  std::function<Result<Done>(const StudyFile&)> save{};
};

/// What a study found, for people.
struct StudyResult {
  std::string text{};               ///< tables
  std::vector<StudyFile> files{};   ///< beside what was saved on the way
  std::vector<PageSource> pages{};  ///< one for each case; studies keep no jobs, so it has none
};

/// Whether the request asks for the workload of this name.
bool is_wanted(const StudyRequest& request, std::string_view workload);

/// An error that says where scenarios should be, unless this one is there.
Result<Done> check_scenario(const std::filesystem::path& folder, const char* scenario);
Error no_scenarios(const std::filesystem::path& folder);

/// The runs of one case for a report, with the names that the study gives them.
PageSource page_source(const std::string& name, const std::string& currency,
                       const std::vector<MethodRun>& runs);

/// In the fewest digits that read back exactly; empty where there is none.
std::string csv_cell(std::optional<double> value);

}  // namespace penstock
