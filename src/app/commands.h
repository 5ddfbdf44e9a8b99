#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {
class App;
}

namespace penstock {

/// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< our failure
inline constexpr int kExitUsage = 2;     ///< the user's mistake

/// The largest seed that a TOML file can hold.
inline constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

/// Each adds its subcommand; `exit_code` is set when that command has run.
void add_simulate(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_policies(CLI::App& app, int& exit_code);
void add_trace(CLI::App& app, int& exit_code);
/// Adds `trace generate`; `trace` is the command above it.
void add_trace_generate(CLI::App& trace, int& exit_code);
void add_fit(CLI::App& app, int& exit_code);
void add_bound(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_train(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_submit(CLI::App& app, int& exit_code);
void add_queue(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_cancel(CLI::App& app, int& exit_code);
/// Adds pause and resume.
void add_pause(CLI::App& app, int& exit_code);
void add_agent(CLI::App& app, int& exit_code);
void add_savings(CLI::App& app, int& exit_code);

/// Shows a user's mistake on stderr, once, and returns the exit code for it.
int refuse(std::string_view message);
/// The exit code of a command that is done; shows its error, if there is one.
int exit_code_of(const Result<Done>& done);
/// Prints a remark for people to stderr.
void remark(std::string_view message);

}  // namespace penstock
