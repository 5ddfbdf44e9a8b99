#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "app/commands.h"
#include "app/web_pages.h"
#include "daemon/check.h"
#include "daemon/daemon.h"
#include "daemon/release.h"
#include "journal/log.h"

namespace penstock {
namespace {

struct ServeArguments {
  std::string config;
  bool check = false;
  bool release = false;
};

/// Notes go to the log, where those look who run the daemon.
int serve(const ServeConfig& config) {
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  for (const std::string& note : config.notes) log_line(now, "warning", "configuration", note);
  ShutdownSignal shutdown;
  const auto done = run_daemon(config, dashboard_page(), shutdown);
  return done ? kExitOk : refuse(done.error().message);
}

int check(const ServeConfig& config) {
  std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
  const CheckReport report = check_daemon(config);
  if (!report.problems.empty()) return refuse(fmt::format("{}", fmt::join(report.problems, "\n")));
  for (const std::string& note : report.notes) remark("note: " + note);
  fmt::print("{}\n", report.summary);
  return kExitOk;
}

int release(const ServeConfig& config) {
  std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
  for (const std::string& note : config.notes) remark("note: " + note);
  int exit_code = kExitOk;
  for (const SlurmSpec& site : config.sites) {
    const auto released = release_held_jobs(site);
    if (released)
      fmt::print("{}: {} jobs are left to Slurm\n", site.options.name, *released);
    else
      exit_code = refuse(fmt::format("{}: Slurm does not answer: {}", site.options.name,
                                     released.error().message));
  }
  const auto pooled = count_pooled_jobs(config.journal);
  if (!pooled)
    remark("note: how many jobs wait for a site cannot be told: " + pooled.error().message);
  else if (*pooled > 0)
    fmt::print("pool: {} wait with the daemon until it runs again: no Slurm knows them\n",
               *pooled == 1 ? "1 job" : fmt::format("{} jobs", *pooled));
  return exit_code;
}

int run_serve(const ServeArguments& given) {
  const auto config = given.release ? read_clusters(given.config) : read_serve_config(given.config);
  if (!config) return refuse(config.error().message);
  if (given.release) return release(*config);
  return given.check ? check(*config) : serve(*config);
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand("serve", "Schedule live Slurm clusters: the daemon");
  command->add_option("CONFIG", given->config, "Configuration file (TOML), see docs/operate.md")
      ->required();
  command->add_flag("--check", given->check, "Ask the clusters, tell all that is wrong, and end");
  command->add_flag("--release", given->release,
                    "Leave all jobs that are held for Penstock to Slurm, and end");
  command->footer("Example: penstock serve /etc/penstock/serve.toml");
  command->callback([given, &exit_code] { exit_code = run_serve(*given); });
}

}  // namespace penstock
