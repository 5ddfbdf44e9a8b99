#include "app/serve.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "serve/journal/log.h"

namespace penstock {
namespace {

struct Given {
  std::string config;
  bool check = false;
  bool release = false;
};

/// What does not hold is told where those look who run it.
int serve(const ServeConfig& config) {
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  for (const std::string& note : config.notes) log_line(now, "warning", "configuration", note);
  return run_daemon(config);
}

int run(const Given& given) {
  const auto config = given.release ? read_clusters(given.config) : read_serve_config(given.config);
  if (!config) return refuse(config.error().message);
  if (given.release) return release_held(*config);
  return given.check ? check_daemon(*config) : serve(*config);
}

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
  command->callback([given, &exit_code] { exit_code = run(*given); });
}

}  // namespace penstock
