#include "app/serve.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"

namespace penstock {
namespace {

struct Given {
  std::string config;
  bool check = false;
  bool release = false;
};

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("serve", "Schedule live Slurm clusters: the daemon");
  command->add_option("CONFIG", given->config, "Configuration file (TOML), see docs/operate.md")
      ->required();
  command->add_flag("--check", given->check, "Ask the clusters, tell all that is wrong, and end");
  command->add_flag("--release", given->release,
                    "Leave all jobs that are held for Penstock to Slurm, and end");
  command->footer("Example: penstock serve /etc/penstock/serve.toml");
  command->callback([given, &exit_code] {
    const auto config = read_serve_config(given->config);
    if (!config)
      exit_code = refuse(config.error().message);
    else if (given->release)
      exit_code = release_held(*config);
    else
      exit_code = given->check ? check_daemon(*config) : run_daemon(*config);
  });
}

}  // namespace penstock
