#include "app/policy_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/text/nearest.h"
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
  const auto entry = std::ranges::find(every_policy().all(), choice.name, &PolicyEntry::name);
  if (entry == every_policy().all().end())
    return did_you_mean(choice.name, names_of(every_policy().all()));
  const auto options = names_of(entry->options);
  for (const auto& [name, value] : choice.options)
    if (std::ranges::find(options, name) == options.end()) return did_you_mean(name, options);
  return {};
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

Result<Done> check_choice(const PolicyChoice& choice) {
  if (choice.name == kRecordedPolicy && choice.options.empty()) return Done{};
  const auto fine = every_policy().check(choice.name, choice.options);
  if (fine) return Done{};
  return Error{fine.error().message + what_was_meant(choice)};
}

}  // namespace penstock
