#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/scenario/scenario.h"
#include "policy/policy_table.h"

namespace penstock {

/// A policy that is not in the table of policies: it repeats what a journal says was done
/// (policies/recorded.h).
inline constexpr std::string_view kRecordedPolicy = "recorded";

/// Reads "fifo" or "fifo:backfill=easy:place=buddy". Whether there is such a policy is not checked.
Result<PolicyChoice> parse_choice(std::string_view text);
/// Reads each text with parse_choice; the first error ends it.
Result<std::vector<PolicyChoice>> parse_choices(std::span<const std::string> texts);

/// Refuses a policy or an option that does not exist. The error says what is possible and what was
/// probably meant.
Result<Done> check_choice(const PolicyChoice& choice);

/// Refuses a policy for one site in a scenario whose jobs have homes at several sites: it
/// cannot move files. The error says how to run the policy at each site.
Result<Done> check_homes(const PolicyChoice& policy, const Scenario& scenario);

/// The policy that runs if neither the user nor the scenario names one.
PolicyChoice default_policy(const Scenario& scenario);

/// `site` at each site, and every job stays at its home.
PolicyChoice policy_at_home(const PolicyChoice& site);
/// The policy that `choice` has at each site, if it has one, and every job stays at its home.
PolicyChoice without_routing(const PolicyChoice& choice);

/// "fifo:backfill=easy", as parse_choice() reads it.
std::string choice_text(const PolicyChoice& choice);
/// "sjf backfill=easy workload.load=0.5": a policy with its options, and what a sweep changed.
std::string run_label(const PolicyChoice& policy, const Options& swept);

/// A label as the name of a folder: letters, digits and "._=" stay, all else becomes "-".
std::string folder_name(std::string_view label);

/// One line for each weights file that a policy names and that was trained on a scenario of another
/// name. Files that cannot be read are passed over: making the policy says what is wrong with them.
std::vector<std::string> foreign_weights(const std::vector<PolicyChoice>& choices,
                                         const std::string& scenario);

/// One line for each policy that plans by an objective which is unsound in a loop.
std::vector<std::string> unsound_aims(const std::vector<PolicyChoice>& choices);

}  // namespace penstock
