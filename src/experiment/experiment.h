#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/policy_choice.h"
#include "experiment/workload.h"

namespace penstock {

/// A scenario that is not in a file.
struct ScenarioText {
  std::string toml{};
  std::string name = "scenario";    ///< what messages call it
  std::filesystem::path dir = ".";  ///< where paths in it begin
};

/// The specification of an experiment: a scenario with changes, and the policies to run in it.
struct ExperimentSpec {
  std::filesystem::path scenario{};                ///< a file
  std::optional<ScenarioText> text{};              ///< instead of the file
  std::optional<std::filesystem::path> journal{};  ///< replayed, instead of the scenario's jobs
  std::vector<std::string> overrides{};            ///< "site.pue=1.1", as of --set
  std::vector<PolicyChoice> policies{};            ///< instead of the scenario's, if any
  std::vector<SweepAxis> vary{};  ///< beside [sweep], or instead of its axis of that key
};

/// What a sweep changes for one run: "policy.backfill=easy", ...
using Combination = std::vector<std::string>;

/// A scenario with its jobs, as one combination of a sweep has it. Runs refer to it, so it stays
/// where it is.
struct Variant {
  Scenario scenario{};
  Workload workload{};
  Options swept{};           ///< what the combination changed outside the policy, for the record
  Options policy_options{};  ///< what overrides and the combination say about any policy
};

/// All that is needed to run policies: nothing more is read from files, but weights of networks.
struct Experiment {
  std::vector<std::unique_ptr<Variant>> variants{};  ///< one for each combination of a sweep
  std::vector<PolicyChoice> policies{};              ///< instead of the scenario's, if any
  std::vector<std::string> notes{};                  ///< what the user should know
};

/// Reads the scenario and its jobs, for each combination of a sweep, and checks the policies: all
/// problems in one error.
Result<Experiment> load_experiment(const ExperimentSpec& spec);

/// The policies that run in a variant: `named`, or else the scenario's, or else the default one.
/// Named policies take options that they do not set themselves from overrides and from the
/// combination, as those of a scenario do.
std::vector<PolicyChoice> policies_of(const Variant& variant,
                                      const std::vector<PolicyChoice>& named);

/// The scenario of a spec with these overrides. Without a file of its own it is the one that the
/// journal began with last, whose paths count from the journal's folder.
Result<Scenario> read_scenario_of(const ExperimentSpec& spec,
                                  const std::vector<std::string>& overrides);

/// Every combination of the scenario's sweep and `vary`, the last key varying fastest; one empty
/// one without a sweep. Reads and checks the scenario without them, and the policies by themselves.
Result<std::vector<Combination>> combinations_of(const ExperimentSpec& spec);

/// Reads the scenario as one combination has it and checks its policies. The jobs are not read yet.
Result<std::unique_ptr<Variant>> prepare_variant(const ExperimentSpec& spec,
                                                 const Combination& swept);

}  // namespace penstock
