#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "app/commands.h"
#include "app/daemon_call.h"
#include "app/terminal.h"
#include "base/units.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestJobName = 24;
constexpr std::size_t kLongestNodeList = 28;

int rank_of(const Json& job) {
  const std::string state = member_text(job, "state");
  if (state == "ended") return 2;
  return state == "queued" ? 1 : 0;
}

/// Numbers count as numbers where the rest is the same: job 9 comes before job 10.
std::tuple<std::string, std::size_t, std::string> by_submission(const Json& job) {
  const std::string id = member_text(job, "id");
  return {member_text(job, "submitted"), id.size(), id};
}

bool comes_before(const Json& a, const Json& b) {
  if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
  if (rank_of(a) == 2 && member_text(a, "ended") != member_text(b, "ended"))
    return member_text(a, "ended") > member_text(b, "ended");
  return by_submission(a) < by_submission(b);
}

/// "2026-03-01T00:05:00Z" is "03-01 00:05:00".
std::string time_in(const Json& job, const char* key) {
  std::string text = member_text(job, key);
  if (text.size() < 20 || text[10] != 'T') return text;
  return text.substr(5, 5) + " " + text.substr(11, 8);
}

/// Its beginning, if it is longer than `most` letters.
std::string cut(const std::string& text, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
    if (begins && letters++ == most) return text.substr(0, at) + "…";
  }
  return text;
}

std::string gpus_of(const Json& job) {
  const std::string held = member_text(job, "gpus");
  const std::string asked = member_text(job, "gpus_asked");
  return held == asked ? held : held + "/" + asked;
}

std::string number_in(const Json& job, const char* key, double unit) {
  const auto found = job.find(key);
  if (found == job.end() || !found->is_number()) return "-";
  return fmt::format("{:.4g}", found->get<double>() / unit);
}

std::string state_of(const Json& job) {
  const std::string outcome = member_text(job, "outcome");
  return outcome == "-" ? member_text(job, "state") : outcome;
}

std::vector<std::string> row_of(const Json& job, bool bills) {
  const bool is_over = rank_of(job) == 2;
  std::vector<std::string> row{member_text(job, "id"),
                               state_of(job),
                               member_text(job, "user"),
                               cut(member_text(job, "name"), kLongestJobName),
                               member_text(job, "partition"),
                               gpus_of(job),
                               member_text(job, "clock_mhz"),
                               cut(member_text(job, "nodes"), kLongestNodeList),
                               time_in(job, "submitted"),
                               time_in(job, "started"),
                               time_in(job, is_over ? "ended" : "expected_end")};
  if (bills) {
    row.push_back(number_in(job, "energy_j", kJoulesPerKwh));
    row.push_back(number_in(job, "cost", 1));
  }
  row.push_back(member_text(job, "why"));
  return row;
}

/// The unit of what jobs cost; empty if none of them says.
std::string currency_of(const std::vector<Json>& jobs) {
  for (const Json& job : jobs)
    if (const std::string unit = member_text(job, "currency"); unit != "-") return "_" + unit;
  return "";
}

/// Those that run, those that wait in the order of submission, those that have ended, the latest
/// first.
void sort_queue(std::vector<Json>& jobs) {
  std::ranges::stable_sort(jobs, comes_before);
}

/// For a terminal, units in the head; with `bills` what ended jobs have used.
std::string queue_table(const std::vector<Json>& jobs, bool bills) {
  std::vector<std::string> head{"JOB",
                                "STATE",
                                "USER",
                                "NAME",
                                "PARTITION",
                                "GPUS",
                                "CLOCK_MHZ",
                                "NODES",
                                "SUBMITTED_UTC",
                                "STARTED_UTC",
                                bills ? "END_UTC" : "EXPECTED_END_UTC"};
  if (bills) {
    head.emplace_back("ENERGY_KWH");
    head.push_back("COST" + currency_of(jobs));
  }
  head.emplace_back("WHY");
  std::vector<std::vector<std::string>> rows{std::move(head)};
  for (const Json& job : jobs) rows.push_back(row_of(job, bills));
  return align_rows(rows);
}

struct QueueCommand {
  DaemonAddress daemon;
  std::string user;
  std::string site;
  bool all = false;
  std::uint32_t hours = 24;
  bool json = false;
};

constexpr std::size_t kJobsPerPage = 1000;
constexpr std::size_t kMostEnded = 500;

/// What was asked for, and whether some of the ended ones were left out.
struct FoundJobs {
  std::vector<Json> jobs{};
  bool more = false;
};

std::string job_filter(const QueueCommand& given) {
  std::string filter;
  if (!given.user.empty()) filter += "&user=" + encode_url(given.user);
  if (!given.site.empty()) filter += "&site=" + encode_url(given.site);
  return filter;
}

/// The jobs in an answer.
Result<Json> jobs_at(const QueueCommand& given, const std::string& target) {
  auto page = get_from_daemon(given.daemon, target + job_filter(given));
  if (!page) return page;
  if (!page->is_object() || !page->contains("jobs") || !(*page)["jobs"].is_array())
    return Error{"the daemon: its answer has no list of jobs"};
  return page;
}

/// Those that have ended since are dropped here: they are told with their bills.
Result<Done> add_present(const QueueCommand& given, FoundJobs& found) {
  std::size_t seen = 0;
  while (true) {
    const auto page =
        jobs_at(given, fmt::format("/api/v1/jobs?limit={}&after={}", kJobsPerPage, seen));
    if (!page) return page.error();
    const Json& jobs = (*page)["jobs"];
    for (const Json& job : jobs)
      if (job.is_object() && member_text(job, "state") != "ended") found.jobs.push_back(job);
    seen += jobs.size();
    if (jobs.size() < kJobsPerPage) return Done{};
  }
}

Result<Done> add_ended(const QueueCommand& given, FoundJobs& found) {
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

int run_queue(const QueueCommand& given) {
  FoundJobs found;
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
  auto given = std::make_shared<QueueCommand>();
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
  command->callback([given, &exit_code] { exit_code = run_queue(*given); });
}

}  // namespace penstock
