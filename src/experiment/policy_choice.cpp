#include "experiment/policy_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "io/text/file.h"
#include "io/text/nearest.h"
#include "learn/net/weights.h"
#include "registry/registry.h"

namespace penstock {
namespace {

/// Parts of `text` between `separator`s.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class Named>
std::vector<std::string_view> names_of(const Named& all) {
  std::vector<std::string_view> names;
  for (const auto& each : all) names.push_back(each.name);
  return names;
}

/// The tail of the message about the first name in it that is not known.
std::string what_was_meant(const PolicyChoice& choice) {
  const PolicyEntry* entry = every_policy().find(choice.name);
  if (entry == nullptr) return did_you_mean(choice.name, names_of(every_policy().all()));
  const auto options = names_of(entry->options);
  for (const auto& [name, value] : choice.options)
    if (std::ranges::find(options, name) == options.end()) return did_you_mean(name, options);
  return {};
}

constexpr const char* kOverSites = "geo";  ///< the policy that holds one for each site
constexpr const char* kSitePolicy = "site";

PolicyChoice at_home() {
  return {.name = kOverSites, .options = {{"router", "local"}}};
}

bool jobs_have_homes(const Scenario& scenario) {
  return scenario.workload.origins.has_value() && scenario.cluster.sites.size() > 1;
}

}  // namespace

Result<PolicyChoice> parse_choice(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  PolicyChoice choice{.name = parts.front()};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos)
      return Error{fmt::format("--policy: '{}' is not name:option=value:...", text)};
    choice.options[parts[i].substr(0, equals)] = parts[i].substr(equals + 1);
  }
  return choice;
}

Result<std::vector<PolicyChoice>> parse_choices(std::span<const std::string> texts) {
  std::vector<PolicyChoice> choices;
  for (const std::string& text : texts) {
    auto choice = parse_choice(text);
    if (!choice) return std::move(choice).error();
    choices.push_back(*std::move(choice));
  }
  return choices;
}

Result<Done> check_choice(const PolicyChoice& choice) {
  if (choice.name == kRecordedPolicy && choice.options.empty()) return Done{};
  const auto fine = every_policy().check(choice.name, choice.options);
  if (fine) return Done{};
  return Error{fine.error().message + what_was_meant(choice)};
}

Result<Done> check_homes(const PolicyChoice& policy, const Scenario& scenario) {
  const PolicyEntry* entry = every_policy().find(policy.name);
  const bool holds_sites = entry != nullptr && entry->traits.holds_sites;
  if (holds_sites || !jobs_have_homes(scenario)) return Done{};
  return Error{
      fmt::format("policy '{}' knows one place only, but jobs have their homes at several "
                  "sites (workload.origins); possible: --policy {}",
                  policy.name, choice_text(policy_at_home(policy)))};
}

PolicyChoice default_policy(const Scenario& scenario) {
  return {.name = jobs_have_homes(scenario) ? kOverSites : "fifo"};
}

PolicyChoice policy_at_home(const PolicyChoice& site) {
  PolicyChoice home = at_home();
  home.options[kSitePolicy] = site.name;
  for (const auto& [name, value] : site.options)
    home.options[std::string(kSiteOption) + name] = value;
  return home;
}

PolicyChoice without_routing(const PolicyChoice& choice) {
  PolicyChoice home = at_home();
  for (const auto& [name, value] : choice.options)
    if (name == kSitePolicy || name.starts_with(kSiteOption)) home.options.emplace(name, value);
  return home;
}

std::string choice_text(const PolicyChoice& choice) {
  std::string text = choice.name;
  for (const auto& [name, value] : choice.options) text += fmt::format(":{}={}", name, value);
  return text;
}

std::string run_label(const PolicyChoice& policy, const Options& swept) {
  std::string label = policy.name;
  for (const auto& [key, value] : policy.options) label += fmt::format(" {}={}", key, value);
  for (const auto& [key, value] : swept) label += fmt::format(" {}={}", key, value);
  return label;
}

std::string folder_name(std::string_view label) {
  std::string name;
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '=' || c == '_';
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "run" : name;
}

std::vector<std::string> foreign_weights(const std::vector<PolicyChoice>& choices,
                                         const std::string& scenario) {
  std::set<std::string> files;
  for (const PolicyChoice& choice : choices)
    if (const auto found = choice.options.find("weights"); found != choice.options.end())
      files.insert(found->second);
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    const auto bytes = read_file(file);
    const auto weights = bytes ? decode_weights(*bytes) : Result<Weights>(bytes.error());
    if (!weights) continue;
    const auto trained_on = stored_text(*weights, kAboutPrefix + std::string("scenario"));
    if (!trained_on || *trained_on == scenario) continue;
    lines.push_back(
        fmt::format("{}: trained on the scenario '{}', not on '{}'", file, *trained_on, scenario));
  }
  return lines;
}

std::vector<std::string> unsound_aims(const std::vector<PolicyChoice>& choices) {
  const auto has = [](const PolicyChoice& choice, const char* name, std::string_view value) {
    const auto found = choice.options.find(name);
    return found != choice.options.end() && found->second == value;
  };
  std::vector<std::string> lines;
  const auto ignores_aim = [&](const PolicyChoice& choice) {
    constexpr std::array kMethods{"fifo", "edf", "priority", "atc"};
    return std::ranges::any_of(kMethods,
                               [&](const char* name) { return has(choice, "method", name); });
  };
  for (const PolicyChoice& choice : choices)
    if (has(choice, "aim", "published") && !ignores_aim(choice))
      lines.push_back(fmt::format(
          "policy '{}': aim=published compares plans over different times, so that a plan which "
          "ends a short job first looks cheap; the better it is searched, the more a run costs "
          "(docs/andreas.md); possible: aim=pace",
          choice_text(choice)));
  return lines;
}

}  // namespace penstock
