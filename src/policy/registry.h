#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "policy/policy.h"

namespace penstock {

/// One knob of a policy, as help and errors show it.
struct OptionSpec {
  std::string_view name;
  std::string_view fallback;  ///< what it is when not given
  std::string_view meaning;   ///< with every value that is possible
};

/// The user's choices by name; unknown names are refused by make_policy.
using Options = std::map<std::string, std::string, std::less<>>;

/// What a policy is made for.
struct PolicySetting {
  const Cluster& cluster;
  Costs costs{};
  Time start{};             ///< when the run begins
  double carbon_price = 0;  ///< money per gram of CO2
};

struct PolicyEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionSpec> options;
  /// `name` is the entry's own; `options` holds a value for every name in its list.
  Result<std::unique_ptr<Policy>> (*make)(const PolicySetting& setting, std::string_view name,
                                          const Options& options);
};

/// Every policy there is, in the order in which help lists them.
std::span<const PolicyEntry> all_policies();

/// A policy by name. Says what is possible if the name or an option is not.
/// Idle nodes are put to sleep around it if `setting.costs` asks for that.
Result<std::unique_ptr<Policy>> make_policy(const PolicySetting& setting, std::string_view name,
                                            const Options& options);

/// Checks a name and its options without a cluster.
Result<Done> check_policy(std::string_view name, const Options& options);

}  // namespace penstock
