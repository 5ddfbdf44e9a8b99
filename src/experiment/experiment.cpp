#include "experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "journal/journal_trace.h"
#include "journal/learnt_models.h"

namespace penstock {
namespace {

constexpr std::string_view kPolicyKey = "policy.";
constexpr std::string_view kPolicyName = "policy.name=";

/// Those of the command line; those of a scenario are checked where they are read.
Result<Done> check_policies(const std::vector<PolicyChoice>& choices) {
  std::string problems;
  for (const PolicyChoice& choice : choices)
    if (const auto fine = check_choice(choice); !fine)
      problems += (problems.empty() ? "--policy: " : "\n--policy: ") + fine.error().message;
  if (!problems.empty()) return Error{problems};
  return Done{};
}

/// The policies with all that is said of them, in their scenario.
Result<Done> check_choices(const Variant& variant, const ExperimentSpec& spec) {
  const std::vector<PolicyChoice> all = policies_of(variant, spec.policies);
  if (!spec.policies.empty())
    if (auto fine = check_policies(all); !fine) return fine;
  for (const PolicyChoice& choice : all)
    if (auto fine = check_homes(choice, variant.scenario); !fine) return fine;
  return Done{};
}

bool is_varied(const ExperimentSpec& spec, std::string_view key) {
  return std::ranges::find(spec.vary, key, &SweepAxis::key) != spec.vary.end();
}

/// What messages call the scenario.
std::string file_of(const ExperimentSpec& spec) {
  return spec.text ? spec.text->name : spec.scenario.string();
}

/// Where a sweep's change is wrong, the user has not written --set.
Error name_sweep(Error error, const ExperimentSpec& spec, const Combination& swept) {
  for (const std::string& change : swept) {
    const std::string as_set = "--set " + change + ": ";
    const std::string as_sweep = is_varied(spec, change.substr(0, change.find('=')))
                                     ? fmt::format("--vary {}: ", change)
                                     : fmt::format("{}: [sweep] {}: ", file_of(spec), change);
    for (std::size_t at = error.message.find(as_set); at != std::string::npos;
         at = error.message.find(as_set, at + as_sweep.size()))
      error.message.replace(at, as_set.size(), as_sweep);
  }
  return error;
}

/// Axes of the command line replace those of the file with the same key, or come last.
void add_axes(Scenario& scenario, const ExperimentSpec& spec) {
  for (const SweepAxis& axis : spec.vary) {
    const auto there = std::ranges::find(scenario.sweep, axis.key, &SweepAxis::key);
    if (there == scenario.sweep.end())
      scenario.sweep.push_back(axis);
    else
      *there = axis;
  }
}

/// As a text of TOML.
std::string toml_text(const std::filesystem::path& path) {
  std::string text = "\"";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

/// Trainings get on as the daemon has seen them do.
Result<Done> use_learnt(const std::filesystem::path& path, Scenario& scenario) {
  auto journal = JournalReader::open(path);
  if (!journal) return std::move(journal).error();
  const auto learnt = read_learnt_models(*journal);
  if (!learnt) return learnt.error();
  const auto used = apply_learnt(*learnt, scenario.workload.profiles);
  if (!used.empty())
    scenario.notes.push_back(
        fmt::format("{}: {} models are as the daemon has learnt them", path.string(), used.size()));
  return Done{};
}

/// The scenario that the spec names, of a text or a file.
Result<Scenario> read_named_scenario(const ExperimentSpec& spec,
                                     const std::vector<std::string>& overrides) {
  if (!spec.text) return read_scenario(spec.scenario, overrides, check_choice);
  return parse_scenario(spec.text->toml, spec.text->name, spec.text->dir, overrides, check_choice);
}

}  // namespace

std::vector<PolicyChoice> policies_of(const Variant& variant,
                                      const std::vector<PolicyChoice>& named) {
  if (!named.empty()) {
    std::vector<PolicyChoice> all = named;
    for (PolicyChoice& choice : all)
      choice.options.insert(variant.policy_options.begin(), variant.policy_options.end());
    return all;
  }
  if (!variant.scenario.policies.empty()) return variant.scenario.policies;
  return {default_policy(variant.scenario)};
}

Result<std::vector<Combination>> combinations_of(const ExperimentSpec& spec) {
  if (auto fine = check_policies(spec.policies); !fine) return std::move(fine).error();
  auto base = read_scenario_of(spec, spec.overrides);
  if (!base) return std::move(base).error();
  add_axes(*base, spec);
  return sweep_overrides(*base);
}

Result<std::unique_ptr<Variant>> prepare_variant(const ExperimentSpec& spec,
                                                 const Combination& swept) {
  std::vector<std::string> overrides = spec.overrides;
  overrides.insert(overrides.end(), swept.begin(), swept.end());
  auto scenario = read_scenario_of(spec, overrides);
  if (!scenario) return name_sweep(std::move(scenario).error(), spec, swept);
  auto variant = std::make_unique<Variant>();
  variant->scenario = *std::move(scenario);
  for (const std::string& change : overrides)
    if (change.starts_with(kPolicyKey) && !change.starts_with(kPolicyName)) {
      const std::size_t equals = std::min(change.find('='), change.size() - 1);
      variant->policy_options[change.substr(kPolicyKey.size(), equals - kPolicyKey.size())] =
          change.substr(equals + 1);
    }
  for (const std::string& change : swept) {
    const std::size_t equals = change.find('=');
    if (change.starts_with(kPolicyKey)) continue;  // shown among the policy's options
    variant->swept.emplace(change.substr(0, equals), change.substr(equals + 1));
  }
  if (auto fine = check_choices(*variant, spec); !fine) return std::move(fine).error();
  return variant;
}

Result<Scenario> read_scenario_of(const ExperimentSpec& spec,
                                  const std::vector<std::string>& overrides) {
  std::vector<std::string> all = overrides;
  if (!spec.journal) return read_named_scenario(spec, all);
  all.push_back("workload.trace=" + toml_text(*spec.journal));
  all.push_back("workload.format=journal");
  if (spec.text || !spec.scenario.empty()) return read_named_scenario(spec, all);
  const auto beginnings = read_daemon_starts(*spec.journal);
  if (!beginnings) return beginnings.error();
  const DaemonStart& last = beginnings->back();
  const auto lag = read_start_lag(*spec.journal);
  if (!lag) return lag.error();
  if (*lag)  // before what the user says, which counts more
    all.insert(all.begin(), "costs.start=" + std::to_string(lag->value().count()) + " ms");
  const auto dir = spec.journal->parent_path();
  auto scenario = parse_scenario(
      last.scenario, spec.journal->string() + ":entry[" + std::to_string(last.entry) + "]",
      dir.empty() ? "." : dir, all, check_choice);
  if (!scenario) return scenario;
  if (auto done = use_learnt(*spec.journal, *scenario); !done) return std::move(done).error();
  return scenario;
}

Result<Experiment> load_experiment(const ExperimentSpec& spec) {
  const auto combinations = combinations_of(spec);
  if (!combinations) return combinations.error();
  Experiment experiment{.policies = spec.policies};
  for (const auto& swept : *combinations) {
    auto variant = prepare_variant(spec, swept);
    if (!variant) return std::move(variant).error();
    experiment.variants.push_back(*std::move(variant));
  }
  for (const auto& variant : experiment.variants) {
    auto workload = load_workload(variant->scenario);
    if (!workload) return std::move(workload).error();
    variant->workload = *std::move(workload);
  }
  const Variant& first = *experiment.variants.front();
  experiment.notes = first.scenario.notes;
  experiment.notes.insert(experiment.notes.end(), first.workload.notes.begin(),
                          first.workload.notes.end());
  const std::vector<PolicyChoice> policies = policies_of(first, spec.policies);
  std::ranges::move(foreign_weights(policies, first.scenario.name),
                    std::back_inserter(experiment.notes));
  std::ranges::move(unsound_aims(policies), std::back_inserter(experiment.notes));
  return experiment;
}

}  // namespace penstock
