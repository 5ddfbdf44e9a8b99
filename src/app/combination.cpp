#include "app/combination.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/check_homes.h"

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
Result<Done> check_choices(const Prepared& prepared, const BatchRequest& request) {
  const std::vector<PolicyChoice> all = choices(prepared, request);
  if (!request.policies.empty())
    if (auto fine = check_policies(all); !fine) return fine;
  for (const PolicyChoice& choice : all)
    if (auto fine = check_homes(choice, prepared.scenario); !fine) return fine;
  return Done{};
}

bool is_varied(const BatchRequest& request, std::string_view key) {
  return std::ranges::find(request.vary, key, &SweepAxis::key) != request.vary.end();
}

/// Where a sweep's change is wrong, the user has not written --set.
Error name_sweep(Error error, const BatchRequest& request, const Combination& swept) {
  for (const std::string& change : swept) {
    const std::string as_set = "--set " + change + ": ";
    const std::string as_sweep =
        is_varied(request, change.substr(0, change.find('=')))
            ? fmt::format("--vary {}: ", change)
            : fmt::format("{}: [sweep] {}: ", request.scenario.string(), change);
    for (std::size_t at = error.message.find(as_set); at != std::string::npos;
         at = error.message.find(as_set, at + as_sweep.size()))
      error.message.replace(at, as_set.size(), as_sweep);
  }
  return error;
}

/// Axes of the command line replace those of the file with the same key, or come last.
void add_axes(Scenario& scenario, const BatchRequest& request) {
  for (const SweepAxis& axis : request.vary) {
    const auto there = std::ranges::find(scenario.sweep, axis.key, &SweepAxis::key);
    if (there == scenario.sweep.end())
      scenario.sweep.push_back(axis);
    else
      *there = axis;
  }
}

}  // namespace

std::vector<PolicyChoice> choices(const Prepared& prepared, const BatchRequest& request) {
  if (!request.policies.empty()) {
    std::vector<PolicyChoice> all = request.policies;
    for (PolicyChoice& choice : all)
      choice.options.insert(prepared.policy_options.begin(), prepared.policy_options.end());
    return all;
  }
  if (!prepared.scenario.policies.empty()) return prepared.scenario.policies;
  return {usual_policy(prepared.scenario)};
}

Result<std::vector<Combination>> combinations_of(const BatchRequest& request) {
  if (auto fine = check_policies(request.policies); !fine) return std::move(fine).error();
  auto base = read_scenario_of(request, request.overrides);
  if (!base) return std::move(base).error();
  add_axes(*base, request);
  return sweep_overrides(*base);
}

Result<std::unique_ptr<Prepared>> prepare(const BatchRequest& request, const Combination& swept) {
  std::vector<std::string> overrides = request.overrides;
  overrides.insert(overrides.end(), swept.begin(), swept.end());
  auto scenario = read_scenario_of(request, overrides);
  if (!scenario) return name_sweep(std::move(scenario).error(), request, swept);
  auto prepared = std::make_unique<Prepared>();
  prepared->scenario = *std::move(scenario);
  for (const std::string& change : overrides)
    if (change.starts_with(kPolicyKey) && !change.starts_with(kPolicyName)) {
      const std::size_t equals = std::min(change.find('='), change.size() - 1);
      prepared->policy_options[change.substr(kPolicyKey.size(), equals - kPolicyKey.size())] =
          change.substr(equals + 1);
    }
  for (const std::string& change : swept) {
    const std::size_t equals = change.find('=');
    if (change.starts_with(kPolicyKey)) continue;  // shown among the policy's options
    prepared->swept.emplace(change.substr(0, equals), change.substr(equals + 1));
  }
  if (auto fine = check_choices(*prepared, request); !fine) return std::move(fine).error();
  return prepared;
}

}  // namespace penstock
