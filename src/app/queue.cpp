#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/daemon_call.h"
#include "app/text_table.h"
#include "serve/url_text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct Given {
  DaemonChoice daemon;
  std::string user;
  std::string site;
  bool all = false;
  bool json = false;
};

constexpr std::size_t kPage = 1000;

std::string target_of(const Given& given, std::size_t after) {
  std::string target = fmt::format("/api/v1/jobs?limit={}&after={}", kPage, after);
  if (!given.user.empty()) target += "&user=" + encode_url(given.user);
  if (!given.site.empty()) target += "&site=" + encode_url(given.site);
  return target;
}

bool is_wanted(const Given& given, const Json& job) {
  return job.is_object() && (given.all || shown(job, "state") != "ended");
}

/// Page by page, until one is not full.
Result<Json> wanted_jobs(const Given& given) {
  Json wanted = Json::array();
  std::size_t seen = 0;
  while (true) {
    const auto page = look_at_daemon(given.daemon, target_of(given, seen));
    if (!page) return page.error();
    if (!page->is_object() || !page->contains("jobs") || !(*page)["jobs"].is_array())
      return Error{"the daemon: its answer has no list of jobs"};
    const Json& jobs = (*page)["jobs"];
    for (const Json& job : jobs)
      if (is_wanted(given, job)) wanted.push_back(job);
    seen += jobs.size();
    if (jobs.size() < kPage) return Json{{"total", wanted.size()}, {"jobs", wanted}};
  }
}

std::string gpus_of(const Json& job) {
  const std::string held = shown(job, "gpus");
  const std::string asked = shown(job, "gpus_asked");
  return held == asked ? held : held + "/" + asked;
}

std::vector<std::string> row_of(const Json& job) {
  std::vector<std::string> row;
  for (const char* key : {"id", "state", "user", "name", "partition"})
    row.push_back(shown(job, key));
  row.push_back(gpus_of(job));
  for (const char* key : {"clock_mhz", "nodes", "submitted", "started", "expected_end", "why"})
    row.push_back(shown(job, key));
  return row;
}

int print_table(const Json& answer) {
  std::vector<std::vector<std::string>> rows{{"JOB", "STATE", "USER", "NAME", "PARTITION", "GPUS",
                                              "MHZ", "NODES", "SUBMITTED", "STARTED",
                                              "EXPECTED_END", "WHY"}};
  for (const Json& job : answer["jobs"]) rows.push_back(row_of(job));
  if (rows.size() == 1) remark("no jobs");
  fmt::print("{}", align_rows(rows));
  return kFine;
}

int run(const Given& given) {
  const auto answer = wanted_jobs(given);
  if (!answer) return refuse(answer.error().message);
  if (!given.json) return print_table(*answer);
  print_json(*answer);
  return kFine;
}

}  // namespace

void add_queue(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("queue", "Jobs as the daemon sees them, and why they wait");
  command->add_flag("--all", given->all, "Also jobs that have ended");
  command->add_option("--user", given->user, "Only of this user");
  command->add_option("--site", given->site, "Only at this site");
  command->add_flag("--json", given->json, "For machines, as docs/formats/api.md says");
  add_daemon_options(*command, given->daemon);
  command->footer("Example: penstock queue --user ada");
  command->callback([given, &exit_code] { exit_code = run(*given); });
}

}  // namespace penstock
