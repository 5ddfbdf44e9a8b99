#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/daemon_options.h"
#include "app/terminal.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  DaemonAddress daemon;
  std::string job;
  bool json = false;
};

void print_job(const Json& job) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& member : job.items()) {
    const std::string value = member.value().is_number_float()
                                  ? fmt::format("{:.6g}", member.value().get<double>())
                                  : member_text(job, member.key());
    if (value != "-") rows.push_back({member.key(), value});
  }
  fmt::print("{}\n", align_rows(rows));
}

void print_life(const Json& life) {
  std::vector<std::vector<std::string>> rows{{"WHEN", "WHAT", "TEXT", "REASON"}};
  for (const Json& entry : life) {
    if (!entry.is_object()) continue;
    rows.push_back({member_text(entry, "when"), member_text(entry, "what"),
                    member_text(entry, "text"), member_text(entry, "reason")});
  }
  fmt::print("{}", align_rows(rows));
}

int run_explain(const ExplainOptions& given) {
  const auto answer = get_from_daemon(given.daemon, job_path(given.job));
  if (!answer) return refuse(answer.error().message);
  if (given.json) {
    print_json(*answer);
    return kExitOk;
  }
  if (!answer->is_object() || !answer->contains("job") || !(*answer)["job"].is_object())
    return refuse("the daemon: its answer has no job");
  print_job((*answer)["job"]);
  if (answer->contains("life") && (*answer)["life"].is_array()) print_life((*answer)["life"]);
  return kExitOk;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Show the history of a job, with the reason of each step");
  command
      ->add_option("JOB", given->job, "12, east/12 where several sites have such a job, or pool/3")
      ->required();
  command->add_flag("--json", given->json, "For machines, as docs/formats/api.md says");
  add_daemon_options(*command, given->daemon);
  command->footer("Example: penstock explain east/12");
  command->callback([given, &exit_code] { exit_code = run_explain(*given); });
}

}  // namespace penstock
