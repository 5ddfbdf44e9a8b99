#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "registry/registry.h"

namespace penstock {
namespace {

void print_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PolicyEntry& entry : every_policy().all()) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const OptionSpec& option : entry.options)
      options.push_back(
          {{"name", option.name}, {"default", option.fallback}, {"meaning", option.meaning}});
    all.push_back({{"name", entry.name}, {"summary", entry.summary}, {"options", options}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_text() {
  std::size_t width = 0;
  std::size_t name_width = 0;
  for (const PolicyEntry& entry : every_policy().all()) {
    width = std::max(width, entry.summary.size());
    name_width = std::max(name_width, entry.name.size() + 1);
  }
  for (const PolicyEntry& entry : every_policy().all()) {
    std::string options;
    for (const OptionSpec& option : entry.options)
      options += fmt::format("  {}={}", option.name, option.fallback);
    fmt::print("{:<{}}{:<{}}{}\n", entry.name, name_width, entry.summary, width, options);
  }
  fmt::print("\nRouters of geo:\n");
  for (const RouterEntry& router : every_policy().routers())
    fmt::print("  {:<15}{}\n", router.name, router.summary);
  fmt::print("\nOptions:\n");
  std::vector<std::string> shown;
  for (const PolicyEntry& entry : every_policy().all())
    for (const OptionSpec& option : entry.options) {
      std::string line =
          fmt::format("  {:<15}{} (default: {})", option.name, option.meaning, option.fallback);
      if (std::ranges::find(shown, line) != shown.end()) continue;
      fmt::print("{}\n", line);
      shown.push_back(std::move(line));
    }
}

}  // namespace

void add_policies(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("policies", "List every policy and its options with defaults");
  command->add_flag("--json", *json, "For machines");
  command->footer("Example: penstock policies");
  command->callback([json, &exit_code] {
    if (*json)
      print_json();
    else
      print_text();
    exit_code = kFine;
  });
}

}  // namespace penstock
