#include "study/study.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/version.h"
#include "report/files/summary_json.h"

namespace penstock {

const RunSummary* find_run(const std::vector<MethodRun>& runs, std::string_view method) {
  const auto found = std::ranges::find(runs, method, &MethodRun::method);
  return found == runs.end() ? nullptr : &found->run;
}

const RunSummary& run_of(const std::vector<MethodRun>& runs, std::string_view method) {
  const RunSummary* run = find_run(runs, method);
  PENSTOCK_CHECK(run != nullptr);
  return *run;
}

Result<Experiment> load_methods(ExperimentSpec spec, const std::vector<Method>& methods) {
  for (const Method& method : methods) spec.policies.push_back(method.choice);
  return load_experiment(spec);
}

Result<std::vector<MethodRun>> run_methods(const Experiment& experiment, const RunOptions& options,
                                           const std::vector<Method>& methods) {
  auto comparison = run_experiment(experiment, options);
  if (!comparison) return std::move(comparison).error();
  std::vector<MethodRun> named;
  named.reserve(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i)
    named.push_back({methods[i].name, std::move(comparison->runs[i].summary)});
  return named;
}

Result<std::vector<MethodRun>> load_and_run(ExperimentSpec spec, const RunOptions& options,
                                            const std::vector<Method>& methods) {
  const auto experiment = load_methods(std::move(spec), methods);
  if (!experiment) return experiment.error();
  return run_methods(*experiment, options, methods);
}

bool is_wanted(const StudyRequest& request, std::string_view workload) {
  return request.only.empty() || std::ranges::find(request.only, workload) != request.only.end();
}

Error no_scenarios(const std::filesystem::path& folder) {
  return {
      fmt::format("{}: there are no scenarios of the study; run penstock where data/ is, "
                  "or name that folder with --data",
                  folder.string())};
}

Result<Done> check_scenario(const std::filesystem::path& folder, const char* scenario) {
  std::error_code error;
  if (!std::filesystem::exists(folder / scenario, error)) return no_scenarios(folder);
  return Done{};
}

PageSource page_source(const std::string& name, const std::string& currency,
                       const std::vector<MethodRun>& runs) {
  std::vector<RunSummary> summaries;
  PageSource source{.shown = name};
  for (const auto& [method, run] : runs) {
    source.labels.push_back(method);
    summaries.push_back(run);
  }
  source.summary =
      summary_json({.version = kVersion, .scenario = name, .currency = currency}, summaries);
  return source;
}

std::string csv_cell(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace penstock
