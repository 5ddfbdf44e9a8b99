#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>

#include "app/commands.h"
#include "base/version.h"
#include "io/text/nearest.h"

namespace penstock {

int refuse(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
  return kExitUsage;
}

int exit_code_of(const Result<Done>& done) {
  return done ? kExitOk : refuse(done.error().message);
}

void remark(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
}

namespace {

/// The command that the user had reached, and all its words.
struct ReachedCommand {
  const CLI::App* command = nullptr;
  std::string words{};
};

ReachedCommand last_command(const CLI::App& app) {
  ReachedCommand reached{&app, app.get_name()};
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

/// What is wrong with a command line that could not be understood: which command or option there is
/// not, those that there are, and where to read on.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  const ReachedCommand reached = last_command(app);
  return fmt::format("{0}: {1}\nTry: {0} --help", reached.words, explain(*reached.command, error));
}

int run_program(int argc, char** argv) {
  CLI::App app("Penstock schedules deep-learning training where and when power is cheap and clean.",
               "penstock");
  app.set_version_flag("--version", std::string("penstock ") + kVersion);
  app.require_subcommand(1);
  app.footer("Example: penstock simulate data/demo.toml");
  int exit_code = kExitOk;
  add_simulate(app, exit_code);
  add_report_command(app, exit_code);
  add_validate(app, exit_code);
  add_policies(app, exit_code);
  add_trace(app, exit_code);
  add_fit(app, exit_code);
  add_bound(app, exit_code);
  add_plan(app, exit_code);
  add_study(app, exit_code);
  add_train(app, exit_code);
  add_sweep(app, exit_code);
  add_serve(app, exit_code);
  add_submit(app, exit_code);
  add_queue(app, exit_code);
  add_explain(app, exit_code);
  add_cancel(app, exit_code);
  add_pause(app, exit_code);
  add_agent(app, exit_code);
  add_savings(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : refuse(explain_usage(app, error));
  }
  return exit_code;
}

/// Whether stdout took all that was printed; a full disk does not.
bool all_is_out() {
  return std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  try {
    const int exit_code = penstock::run_program(argc, argv);
    return penstock::all_is_out() ? exit_code : penstock::refuse("cannot write all of the output");
  } catch (const std::exception& error) {  // a library's, such as running out of memory
    std::fprintf(stderr, "penstock: %s\n", error.what());
    return penstock::kExitInternal;
  }
}
