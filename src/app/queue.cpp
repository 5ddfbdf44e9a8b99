#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/commands.h"
#include "app/daemon_call.h"
#include "app/queue_table.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct Given {
  DaemonAddress daemon;
  std::string user;
  std::string site;
  bool all = false;
  std::uint32_t hours = 24;
  bool json = false;
};

constexpr std::size_t kPage = 1000;
constexpr std::size_t kMostEnded = 500;

/// What was asked for, and whether some of the ended ones were left out.
struct Found {
  std::vector<Json> jobs{};
  bool more = false;
};

std::string about(const Given& given) {
  std::string words;
  if (!given.user.empty()) words += "&user=" + encode_url(given.user);
  if (!given.site.empty()) words += "&site=" + encode_url(given.site);
  return words;
}

/// The jobs in an answer.
Result<Json> jobs_at(const Given& given, const std::string& target) {
  auto page = get_from_daemon(given.daemon, target + about(given));
  if (!page) return page;
  if (!page->is_object() || !page->contains("jobs") || !(*page)["jobs"].is_array())
    return Error{"the daemon: its answer has no list of jobs"};
  return page;
}

/// Those that have ended since are dropped here: they are told with their bills.
Result<Done> add_present(const Given& given, Found& found) {
  std::size_t seen = 0;
  while (true) {
    const auto page = jobs_at(given, fmt::format("/api/v1/jobs?limit={}&after={}", kPage, seen));
    if (!page) return page.error();
    const Json& jobs = (*page)["jobs"];
    for (const Json& job : jobs)
      if (job.is_object() && member_text(job, "state") != "ended") found.jobs.push_back(job);
    seen += jobs.size();
    if (jobs.size() < kPage) return Done{};
  }
}

Result<Done> add_ended(const Given& given, Found& found) {
  const auto page =
      jobs_at(given, fmt::format("/api/v1/ended?hours={}&limit={}", given.hours, kMostEnded));
  if (!page) return page.error();
  std::set<std::string> present;
  for (const Json& job : found.jobs) present.insert(member_text(job, "id"));
  for (const Json& job : (*page)["jobs"])  // one that was put back into the queue has not ended
    if (job.is_object() && !present.contains(member_text(job, "id"))) found.jobs.push_back(job);
  found.more = page->contains("more") && (*page)["more"] == true;
  return Done{};
}

int run(const Given& given) {
  Found found;
  auto done = add_present(given, found);
  if (done && given.all) done = add_ended(given, found);
  if (!done) return refuse(done.error().message);
  sort_queue(found.jobs);
  if (given.json) {
    print_json(Json{{"total", found.jobs.size()}, {"jobs", found.jobs}});
    return kExitOk;
  }
  if (found.jobs.empty()) remark("no jobs");
  fmt::print("{}", queue_table(found.jobs, given.all));
  if (given.all)
    remark(fmt::format(
        "note: ended jobs are those of the last {} h{}; possible: --hours N, and "
        "penstock explain JOB for any that the journal knows",
        given.hours, found.more ? fmt::format(", of which the latest {}", kMostEnded) : ""));
  return kExitOk;
}

}  // namespace

void add_queue(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("queue", "Jobs as the daemon sees them, and why they wait");
  command->add_flag("--all", given->all, "Also jobs that have ended, with their bills");
  command->add_option("--hours", given->hours, "How far back --all goes")
      ->capture_default_str()
      ->check(CLI::Range(1, 24 * 366));
  command->add_option("--user", given->user, "Only of this user");
  command->add_option("--site", given->site, "Only at this site");
  command->add_flag("--json", given->json, "For machines, as docs/formats/api.md says");
  add_daemon_options(*command, given->daemon);
  command->footer(
      "Those that run come first, then those that wait, in the order of submission, then those "
      "that\nhave ended, the latest first. GPUS is held/asked where these differ; times are UTC.\n"
      "Example: penstock queue --user ada\n         penstock queue --all --hours 72");
  command->callback([given, &exit_code] { exit_code = run(*given); });
}

}  // namespace penstock
