#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/daemon_options.h"
#include "app/terminal.h"
#include "serve/client/daemon_queue.h"

namespace penstock {
namespace {

struct QueueCommand {
  DaemonAddress daemon;
  QueueQuery query;
  bool json = false;
};

int run_queue(const QueueCommand& given) {
  const auto found = fetch_queue(given.daemon, given.query);
  if (!found) return refuse(found.error().message);
  if (given.json) {
    print_json({{"total", found->jobs.size()}, {"jobs", found->jobs}});
    return kExitOk;
  }
  if (found->jobs.empty()) remark("no jobs");
  fmt::print("{}", align_rows(queue_rows(found->jobs, given.query.with_ended)));
  if (given.query.with_ended)
    remark(
        fmt::format("note: ended jobs are those of the last {} h{}; possible: --hours N, and "
                    "penstock explain JOB for any that the journal knows",
                    given.query.hours,
                    found->more ? fmt::format(", of which the latest {}", kMostEndedJobs) : ""));
  return kExitOk;
}

}  // namespace

void add_queue(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<QueueCommand>();
  CLI::App* command =
      app.add_subcommand("queue", "Jobs as the daemon sees them, and why they wait");
  command->add_flag("--all", given->query.with_ended,
                    "Also jobs that have ended, with their bills");
  command->add_option("--hours", given->query.hours, "How far back --all goes")
      ->capture_default_str()
      ->check(CLI::Range(1, 24 * 366));
  command->add_option("--user", given->query.user, "Only of this user");
  command->add_option("--site", given->query.site, "Only at this site");
  command->add_flag("--json", given->json, "For machines, as docs/formats/api.md says");
  add_daemon_options(*command, given->daemon);
  command->footer(
      "Those that run come first, then those that wait, in the order of submission, then those "
      "that\nhave ended, the latest first. GPUS is held/asked where these differ; times are UTC.\n"
      "Example: penstock queue --user ada\n         penstock queue --all --hours 72");
  command->callback([given, &exit_code] { exit_code = run_queue(*given); });
}

}  // namespace penstock
