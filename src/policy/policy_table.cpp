#include "policy/policy_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace penstock {
namespace {

bool is_for_sites(const PolicyEntry& entry, std::string_view option) {
  return entry.traits.holds_sites && option.starts_with(kSiteOption);
}

/// Whether the table sets the clocks of its jobs: neither it nor its sites do.
bool leaves_clocks(const PolicyEntry& entry) {
  return !entry.traits.sets_clocks && !entry.traits.holds_sites;
}

Result<Done> check_names(const PolicyEntry& entry, const Options& options) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(entry.options, name, &OptionSpec::name) != entry.options.end()) continue;
    if (is_for_sites(entry, name)) continue;
    std::vector<std::string_view> names;
    for (const OptionSpec& option : entry.options) names.push_back(option.name);
    return Error{fmt::format("policy '{}' has no option '{}'; there are: {}", entry.name, name,
                             fmt::join(names, " "))};
  }
  return Done{};
}

}  // namespace

std::span<const PolicyTrait> all_policy_traits() {
  static constexpr auto kAll = std::to_array<PolicyTrait>({
      {"sets-clocks", "chooses the clock of every job", &PolicyTraits::sets_clocks},
      {"resizes", "changes how many GPUs a running job has", &PolicyTraits::resizes},
      {"migrates", "moves running jobs to other GPUs", &PolicyTraits::migrates},
      {"preempts", "stops running jobs for others; they go on later", &PolicyTraits::preempts},
      {"shares-gpus", "places parts of GPUs where nodes share them", &PolicyTraits::shares_gpus},
      {"routes", "chooses the site of every job", &PolicyTraits::routes},
      {"holds-sites", "has another policy at each site", &PolicyTraits::holds_sites},
      {"reacts-to-price", "considers the price of energy", &PolicyTraits::reacts_to_price},
      {"reacts-to-carbon", "considers the carbon intensity of the grid",
       &PolicyTraits::reacts_to_carbon},
      {"reacts-to-cap", "considers the power cap of each site", &PolicyTraits::reacts_to_cap},
      {"uses-models", "plans with models of how jobs scale; runs jobs without one as asked",
       &PolicyTraits::uses_models},
      {"keeps-budget", "keeps an energy budget, if given one", &PolicyTraits::keeps_budget},
      {"uses-deadlines", "considers the deadlines of jobs", &PolicyTraits::uses_deadlines},
  });
  return kAll;
}

PolicyTable::PolicyTable(std::vector<PolicyEntry> entries, std::vector<RouterEntry> routers,
                         const PolicyWrappers& wrappers)
    : entries_(std::move(entries)), routers_(std::move(routers)), wrappers_(wrappers) {
  for (PolicyEntry& entry : entries_) {
    if (!leaves_clocks(entry)) continue;
    auto& longer = options_.emplace_back(entry.options.begin(), entry.options.end());
    longer.push_back(wrappers_.clock_option);
    entry.options = longer;
  }
}

const PolicyEntry* PolicyTable::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &PolicyEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Result<const PolicyEntry*> PolicyTable::entry_named(std::string_view name) const {
  if (const PolicyEntry* found = find(name); found != nullptr) return found;
  std::vector<std::string_view> names(entries_.size());
  std::ranges::transform(entries_, names.begin(), &PolicyEntry::name);
  return Error{fmt::format("no policy '{}'; there are: {}", name, fmt::join(names, " "))};
}

Result<Done> PolicyTable::check_sharing(const Cluster& cluster, const PolicyEntry& entry) const {
  if (cluster.share == 1 || entry.traits.shares_gpus || entry.traits.holds_sites) return Done{};
  std::vector<std::string_view> possible;
  for (const PolicyEntry& each : entries_)
    if (each.traits.shares_gpus) possible.push_back(each.name);
  return Error{
      fmt::format("places whole GPUs, and each is shared by {} here; possible: nodes with share = "
                  "1, or a policy that places parts of GPUs: {}",
                  cluster.share, fmt::join(possible, " "))};
}

Result<std::unique_ptr<Policy>> PolicyTable::make_bare(const PolicySetting& given,
                                                       std::string_view name,
                                                       const Options& options) const {
  PolicySetting setting = given;
  setting.table = this;
  const auto found = entry_named(name);
  if (!found) return found.error();
  const PolicyEntry& entry = **found;
  if (auto names = check_names(entry, options); !names) return std::move(names).error();
  Options complete = options;
  for (const OptionSpec& option : entry.options)
    complete.try_emplace(std::string(option.name), option.fallback);
  if (auto fine = check_sharing(setting.cluster, entry); !fine)
    return std::move(fine).error().in(fmt::format("policy '{}'", name));
  auto policy = entry.make(setting, name, complete);
  if (policy && leaves_clocks(entry)) {
    const std::string& clock = complete.find(wrappers_.clock_option.name)->second;
    policy = wrappers_.set_clocks(setting, clock, *std::move(policy));
  }
  if (!policy) return std::move(policy).error().in(fmt::format("policy '{}'", name));
  return policy;
}

Result<std::unique_ptr<Policy>> PolicyTable::make(const PolicySetting& setting,
                                                  std::string_view name,
                                                  const Options& options) const {
  auto policy = make_bare(setting, name, options);
  if (!policy || !setting.costs.sleep_after) return policy;
  if (find(name)->traits.holds_sites) return policy;  // its sites do it themselves
  return wrappers_.sleep_idle(setting, *setting.costs.sleep_after, std::move(*policy));
}

Result<Done> PolicyTable::check(std::string_view name, const Options& options) const {
  const Cluster nothing;
  auto policy = make_bare({.cluster = nothing}, name, options);
  if (!policy) return std::move(policy).error();
  return Done{};
}

namespace {

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Result<double> number_of(const Options& options, std::string_view name) {
  const std::string& text = options.find(name)->second;
  const auto value = parse<double>(text);
  if (value && std::isfinite(*value) && *value >= 0) return *value;
  return Error{fmt::format("{}: '{}' is not a number from 0 up", name, text)};
}

Result<std::uint32_t> whole_of(const Options& options, std::string_view name, std::uint32_t least) {
  const std::string& text = options.find(name)->second;
  const auto value = parse<std::uint32_t>(text);
  if (value && *value >= least) return *value;
  return Error{fmt::format("{}: '{}' is not a whole number from {} up", name, text, least)};
}

Result<Duration> duration_of(const Options& options, std::string_view name) {
  const std::string& text = options.find(name)->second;
  const auto value = parse_duration(text);
  if (value && *value > Duration::zero()) return *value;
  return Error{fmt::format("{}: '{}' is not a length of time such as '10 min'", name, text)};
}

Result<std::optional<Duration>> duration_or_none(const Options& options, std::string_view name) {
  if (options.find(name)->second == "none") return std::optional<Duration>{};
  const auto given = duration_of(options, name);
  if (!given) return given.error();
  return std::optional(*given);
}

}  // namespace penstock
