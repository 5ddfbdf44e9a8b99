#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/daemon_options.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct ControlOptions {
  DaemonAddress daemon;
  std::string job;
  std::string reason;
};

int post_and_print(const DaemonAddress& daemon, const std::string& target, const Json& body,
                   const std::string& done) {
  const auto answer = post_to_daemon(daemon, target, body);
  if (!answer) return refuse(answer.error().message);
  fmt::print("{}\n", done);
  return kExitOk;
}

}  // namespace

void add_cancel(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<ControlOptions>();
  CLI::App* command = app.add_subcommand("cancel", "Ask the daemon to cancel a job");
  command
      ->add_option("JOB", given->job, "12, east/12 where several sites have such a job, or pool/3")
      ->required();
  add_daemon_options(*command, given->daemon);
  command->footer("Example: penstock cancel 12 --token-file ~/.penstock-token");
  command->callback([given, &exit_code] {
    exit_code = post_and_print(given->daemon, job_path(given->job) + "/cancel", Json::object(),
                               terminal_safe(given->job) + ": will be cancelled");
  });
}

void add_pause(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<ControlOptions>();
  CLI::App* pause = app.add_subcommand("pause", "Let the daemon only watch, until penstock resume");
  pause->add_option("--reason", given->reason,
                    "Why, in your words, for those who ask (default: somebody asked for it)");
  add_daemon_options(*pause, given->daemon);
  pause->footer(
      "Jobs that run go on. Jobs that wait stay held for serve.fail_open_after (5 min), then "
      "Slurm's "
      "own\nscheduler starts them; new ones are not held from then on. A pause outlives a restart "
      "of "
      "the\ndaemon. It needs the token: --token-file, or PENSTOCK_TOKEN_FILE.\n"
      "Example: penstock pause --reason 'fans are replaced' --token-file /etc/penstock/token");
  pause->callback([given, &exit_code] {
    const Json body = given->reason.empty() ? Json::object() : Json{{"reason", given->reason}};
    exit_code = post_and_print(given->daemon, "/api/v1/pause", body, "paused");
  });
  CLI::App* resume = app.add_subcommand("resume", "Let the daemon act again after a pause");
  add_daemon_options(*resume, given->daemon);
  resume->footer(
      "Jobs that Slurm has started meanwhile go on as they are; those that wait are held and "
      "started "
      "by the\ndaemon's policy again. Without a pause nothing happens. It needs the token: "
      "--token-file, or\nPENSTOCK_TOKEN_FILE.\n"
      "Example: penstock resume --token-file /etc/penstock/token");
  resume->callback([given, &exit_code] {
    exit_code = post_and_print(given->daemon, "/api/v1/resume", Json::object(), "resumed");
  });
}

}  // namespace penstock
