#include "app/usage.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "io/text/nearest.h"

namespace penstock {
namespace {

/// The command that the user had reached, and all its words.
struct Reached {
  const CLI::App* command = nullptr;
  std::string words{};
};

Reached last_command(const CLI::App& app) {
  Reached reached{&app, app.get_name()};
  for (auto inner = app.get_subcommands(); !inner.empty();
       inner = reached.command->get_subcommands()) {
    reached.command = inner.front();
    reached.words += " " + reached.command->get_name();
  }
  return reached;
}

std::string no_such(std::string_view kind, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return fmt::format("there is no {} '{}'; there are: {}{}", kind, name, fmt::join(known, " "),
                     did_you_mean(name, candidates));
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(inner->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  return names;
}

std::string explain(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> extras = command.remaining();
  const auto flag = std::ranges::find_if(extras, [](const auto& e) { return e.starts_with('-'); });
  if (flag != extras.end())
    return no_such("option", flag->substr(0, flag->find('=')), option_names(command));
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty())
    return extras.empty() ? error.what() : fmt::format("'{}' is one word too many", extras.front());
  if (!extras.empty()) return no_such("command", extras.front(), commands);
  return fmt::format("a command is missing; there are: {}", fmt::join(commands, " "));
}

}  // namespace

std::string explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  const Reached reached = last_command(app);
  return fmt::format("{0}: {1}\nTry: {0} --help", reached.words, explain(*reached.command, error));
}

}  // namespace penstock
