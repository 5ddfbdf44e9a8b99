#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "policy/policy.h"

namespace penstock {

/// One option of a policy, as help and errors show it.
struct OptionSpec {
  std::string_view name;
  std::string_view fallback;  ///< what it is when not given
  std::string_view meaning;   ///< with every value that is possible
};

/// The user's choices by name; unknown names are refused by PolicyTable::make.
using Options = std::map<std::string, std::string, std::less<>>;

class PolicyTable;

/// What a policy is made for.
struct PolicySetting {
  const Cluster& cluster;
  Costs costs{};
  Time start{};              ///< when the run begins
  double carbon_price = 0;   ///< money per gram of CO2
  UtilityWeights utility{};  ///< what counts across sites
  const PolicyTable* table =
      nullptr;  ///< the table that makes it, for policies that hold others; set by the table
};

/// What a policy does and depends on: read by the table, help and errors.
struct PolicyTraits {
  bool sets_clocks = false;
  bool resizes = false;
  bool migrates = false;
  bool preempts = false;
  bool shares_gpus = false;
  bool routes = false;
  bool holds_sites = false;
  bool reacts_to_price = false;
  bool reacts_to_carbon = false;
  bool reacts_to_cap = false;
  bool uses_models = false;
  bool keeps_budget = false;
  bool uses_deadlines = false;
};

/// One of the traits, as help shows it.
struct PolicyTrait {
  std::string_view name;     ///< for machines: "sets-clocks"
  std::string_view meaning;  ///< what a policy that has it does
  bool PolicyTraits::* has;
};

/// Every member of PolicyTraits, in the order in which help lists them.
std::span<const PolicyTrait> all_policy_traits();

struct PolicyEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionSpec> options;
  /// `name` is the entry's own; `options` holds a value for every name in its list.
  Result<std::unique_ptr<Policy>> (*make)(const PolicySetting& setting, std::string_view name,
                                          const Options& options);
  PolicyTraits traits{};
};

/// `make` of a policy without options whose constructor takes the setting.
template <class Made>
Result<std::unique_ptr<Policy>> make_without_options(const PolicySetting& setting,
                                                     std::string_view /*name*/,
                                                     const Options& /*options*/) {
  return std::unique_ptr<Policy>(std::make_unique<Made>(setting));
}

class Router;

/// A way to choose among sites, for the policy `geo`.
struct RouterEntry {
  std::string_view name;
  std::string_view summary;
  /// `options` are all of `geo`.
  Result<std::unique_ptr<Router>> (*make)(const PolicySetting& setting, std::string_view name,
                                          const Options& options);
};

/// "site.backfill" is the option `backfill` of the policy that each site has.
inline constexpr std::string_view kSiteOption = "site.";

/// Policies that the table puts around others.
struct PolicyWrappers {
  OptionSpec clock_option;  ///< of every policy that leaves clocks alone
  /// Runs the jobs of `inner` at the clock that `text`, a value of `clock_option`, names.
  Result<std::unique_ptr<Policy>> (*set_clocks)(const PolicySetting& setting,
                                                const std::string& text,
                                                std::unique_ptr<Policy> inner);
  /// Also puts nodes to sleep that have been idle for `after`.
  std::unique_ptr<Policy> (*sleep_idle)(const PolicySetting& setting, Duration after,
                                        std::unique_ptr<Policy> inner);
};

/// Policies by name, in the order in which help lists them.
class PolicyTable {
 public:
  /// Every entry that leaves clocks alone also gets `wrappers.clock_option`.
  PolicyTable(std::vector<PolicyEntry> entries, std::vector<RouterEntry> routers,
              const PolicyWrappers& wrappers);
  PolicyTable(const PolicyTable&) = delete;
  PolicyTable& operator=(const PolicyTable&) = delete;

  std::span<const PolicyEntry> all() const { return entries_; }
  std::span<const RouterEntry> routers() const { return routers_; }

  /// The entry of that name; null if there is none.
  const PolicyEntry* find(std::string_view name) const;

  /// Makes a policy by name. The error says what is possible if the name or an option is unknown.
  /// Idle nodes are put to sleep around it if `setting.costs` asks for that.
  Result<std::unique_ptr<Policy>> make(const PolicySetting& setting, std::string_view name,
                                       const Options& options) const;
  /// Checks a name and its options without a cluster.
  Result<Done> check(std::string_view name, const Options& options) const;

 private:
  Result<const PolicyEntry*> entry_named(std::string_view name) const;
  Result<Done> check_sharing(const Cluster& cluster, const PolicyEntry& entry) const;
  Result<std::unique_ptr<Policy>> make_bare(const PolicySetting& setting, std::string_view name,
                                            const Options& options) const;

  std::vector<PolicyEntry> entries_;
  std::vector<RouterEntry> routers_;
  PolicyWrappers wrappers_;
  std::deque<std::vector<OptionSpec>> options_;  ///< what entries with a clock refer to
};

// Read the values of options that are present; errors name the option and say what is possible.

/// A number from 0 up, not infinity.
Result<double> number_of(const Options& options, std::string_view name);
/// A whole number from `least` up.
Result<std::uint32_t> whole_of(const Options& options, std::string_view name, std::uint32_t least);
/// A length of time above 0.
Result<Duration> duration_of(const Options& options, std::string_view name);
/// A length of time above 0; nothing if the option says "none".
Result<std::optional<Duration>> duration_or_none(const Options& options, std::string_view name);

}  // namespace penstock
