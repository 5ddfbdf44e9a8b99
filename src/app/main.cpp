#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/commands.h"
#include "app/version.h"

namespace penstock {

int refuse(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
  return kYourFault;
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
  app.footer("Try: penstock simulate data/demo.toml");
  int exit_code = kFine;
  add_simulate(app, exit_code);
  add_validate(app, exit_code);
  add_policies(app, exit_code);
  add_trace(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kYourFault;
  }
  return exit_code;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  try {
    return penstock::run_program(argc, argv);
  } catch (const std::exception& error) {  // a library's, such as running out of memory
    std::fprintf(stderr, "penstock: %s\n", error.what());
    return penstock::kOurFault;
  }
}
