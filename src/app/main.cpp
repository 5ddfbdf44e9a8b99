#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "app/commands.h"
#include "app/usage.h"
#include "base/version.h"

namespace penstock {

int refuse(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
  return kExitUsage;
}

void remark(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
}

namespace {

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
