#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "app/commands.h"
#include "io/text/nearest.h"
#include "registry/registry.h"

namespace penstock {
namespace {

nlohmann::ordered_json json_of(const PolicyEntry& entry) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const OptionSpec& option : entry.options)
    options.push_back(
        {{"name", option.name}, {"default", option.fallback}, {"meaning", option.meaning}});
  nlohmann::ordered_json traits = nlohmann::ordered_json::array();
  for (const PolicyTrait& trait : all_policy_traits())
    if (entry.traits.*trait.has) traits.push_back(trait.name);
  return {
      {"name", entry.name}, {"summary", entry.summary}, {"options", options}, {"traits", traits}};
}

void print_all_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PolicyEntry& entry : every_policy().all()) all.push_back(json_of(entry));
  fmt::print("{}\n", all.dump(2));
}

/// A text in lines of at most 120 columns, all but the first indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 120;
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column > indent && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

/// The length of the longest name in a list of policies, options or routers.
template <class Named>
std::size_t longest_name(std::span<const Named> all) {
  std::size_t longest = 0;
  for (const Named& each : all) longest = std::max(longest, each.name.size());
  return longest;
}

/// A name, and beside the names a text that is wrapped.
void print_row(std::string_view name, std::size_t name_width, std::string_view text) {
  fmt::print("  {:<{}}  {}\n", name, name_width, wrapped(text, name_width + 4));
}

void print_routers() {
  const std::size_t width = longest_name(every_policy().routers());
  for (const RouterEntry& router : every_policy().routers())
    print_row(router.name, width, router.summary);
}

void print_options(const PolicyEntry& entry) {
  const std::size_t width = longest_name(entry.options);
  for (const OptionSpec& option : entry.options)
    print_row(option.name, width, fmt::format("{} (default: {})", option.meaning, option.fallback));
}

void print_all() {
  const std::size_t width = longest_name(every_policy().all());
  fmt::print("Policies:\n");
  for (const PolicyEntry& entry : every_policy().all()) {
    print_row(entry.name, width, entry.summary);
    std::string options;
    for (const OptionSpec& option : entry.options)
      options +=
          fmt::format("{} {}={}", options.empty() ? "options:" : ",", option.name, option.fallback);
    if (!options.empty()) print_row("", width, options);
  }
  fmt::print("\nRouters of geo:\n");
  print_routers();
  fmt::print("\npenstock policies NAME explains its options\n");
}

void print_one(const PolicyEntry& entry) {
  const auto has_option = [&](std::string_view name) {
    return std::ranges::find(entry.options, name, &OptionSpec::name) != entry.options.end();
  };
  fmt::print("{}: {}\n", entry.name, wrapped(entry.summary, entry.name.size() + 2));
  fmt::print("\nWhat it does:\n");
  bool any = false;
  for (const PolicyTrait& trait : all_policy_traits()) {
    if (!(entry.traits.*trait.has)) continue;
    fmt::print("  - {}\n", trait.meaning);
    any = true;
  }
  if (!any) fmt::print("  - starts waiting jobs as they asked and lets them run\n");
  fmt::print("\nOptions:\n");
  print_options(entry);
  if (has_option("router")) {
    fmt::print("\nRouters:\n");
    print_routers();
  }
  fmt::print("\nUse it: penstock simulate SCENARIO.toml --policy {}", entry.name);
  if (!entry.options.empty())
    fmt::print(":{}={}", entry.options.front().name, entry.options.front().fallback);
  fmt::print("\n");
}

int show(const std::string& name, bool json) {
  if (name.empty()) {
    json ? print_all_json() : print_all();
    return kExitOk;
  }
  const PolicyEntry* entry = every_policy().find(name);
  if (entry == nullptr) {
    std::vector<std::string_view> names;
    for (const PolicyEntry& each : every_policy().all()) names.push_back(each.name);
    return refuse(every_policy().check(name, {}).error().message + did_you_mean(name, names));
  }
  if (json)
    fmt::print("{}\n", json_of(*entry).dump(2));
  else
    print_one(*entry);
  return kExitOk;
}

}  // namespace

void add_policies(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("policies", "List every policy and its options with defaults");
  command->add_option("NAME", *name, "One policy: what it does and its options, in full");
  command->add_flag("--json", *json, "For machines");
  command->footer("Example: penstock policies");
  command->callback([json, name, &exit_code] { exit_code = show(*name, *json); });
}

}  // namespace penstock
