#include "serve/client/daemon_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/units.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

using QueueJson = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 24;
constexpr std::size_t kLongestNodes = 28;
constexpr std::size_t kJobsInPage = 1000;

int queue_rank(const QueueJson& job) {
  const std::string state = member_text(job, "state");
  if (state == "ended") return 2;
  return state == "queued" ? 1 : 0;
}

/// Numbers count as numbers where the rest is the same: job 9 comes before job 10.
std::tuple<std::string, std::size_t, std::string> by_submission(const QueueJson& job) {
  const std::string id = member_text(job, "id");
  return {member_text(job, "submitted"), id.size(), id};
}

bool comes_before(const QueueJson& a, const QueueJson& b) {
  if (queue_rank(a) != queue_rank(b)) return queue_rank(a) < queue_rank(b);
  if (queue_rank(a) == 2 && member_text(a, "ended") != member_text(b, "ended"))
    return member_text(a, "ended") > member_text(b, "ended");
  return by_submission(a) < by_submission(b);
}

/// "2026-03-01T00:05:00Z" is "03-01 00:05:00".
std::string short_time(const QueueJson& job, const char* key) {
  std::string text = member_text(job, key);
  if (text.size() < 20 || text[10] != 'T') return text;
  return text.substr(5, 5) + " " + text.substr(11, 8);
}

/// Its beginning, if it is longer than `most` letters.
std::string shorten(const std::string& text, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
    if (begins && letters++ == most) return text.substr(0, at) + "…";
  }
  return text;
}

std::string held_and_asked(const QueueJson& job) {
  const std::string held = member_text(job, "gpus");
  const std::string asked = member_text(job, "gpus_asked");
  return held == asked ? held : held + "/" + asked;
}

std::string number_text(const QueueJson& job, const char* key, double unit) {
  const auto found = job.find(key);
  if (found == job.end() || !found->is_number()) return "-";
  return fmt::format("{:.4g}", found->get<double>() / unit);
}

std::string outcome_or_state(const QueueJson& job) {
  const std::string outcome = member_text(job, "outcome");
  return outcome == "-" ? member_text(job, "state") : outcome;
}

std::vector<std::string> queue_row(const QueueJson& job, bool bills) {
  const bool is_over = queue_rank(job) == 2;
  std::vector<std::string> row{member_text(job, "id"),
                               outcome_or_state(job),
                               member_text(job, "user"),
                               shorten(member_text(job, "name"), kLongestName),
                               member_text(job, "partition"),
                               held_and_asked(job),
                               member_text(job, "clock_mhz"),
                               shorten(member_text(job, "nodes"), kLongestNodes),
                               short_time(job, "submitted"),
                               short_time(job, "started"),
                               short_time(job, is_over ? "ended" : "expected_end")};
  if (bills) {
    row.push_back(number_text(job, "energy_j", kJoulesPerKwh));
    row.push_back(number_text(job, "cost", 1));
  }
  row.push_back(member_text(job, "why"));
  return row;
}

/// The unit of what jobs cost; empty if none of them says.
std::string currency_of(const std::vector<QueueJson>& jobs) {
  for (const QueueJson& job : jobs)
    if (const std::string unit = member_text(job, "currency"); unit != "-") return "_" + unit;
  return "";
}

std::string filter_parameters(const QueueQuery& query) {
  std::string words;
  if (!query.user.empty()) words += "&user=" + encode_url(query.user);
  if (!query.site.empty()) words += "&site=" + encode_url(query.site);
  return words;
}

/// The jobs in an answer.
Result<QueueJson> jobs_at(const DaemonAddress& daemon, const QueueQuery& query,
                          const std::string& target) {
  auto page = get_from_daemon(daemon, target + filter_parameters(query));
  if (!page) return page;
  if (!page->is_object() || !page->contains("jobs") || !(*page)["jobs"].is_array())
    return Error{"the daemon: its answer has no list of jobs"};
  return page;
}

/// Those that have ended since are dropped here: they are told with their bills.
Result<Done> add_present(const DaemonAddress& daemon, const QueueQuery& query, DaemonQueue& found) {
  std::size_t seen = 0;
  while (true) {
    const auto page =
        jobs_at(daemon, query, fmt::format("/api/v1/jobs?limit={}&after={}", kJobsInPage, seen));
    if (!page) return page.error();
    const QueueJson& jobs = (*page)["jobs"];
    for (const QueueJson& job : jobs)
      if (job.is_object() && member_text(job, "state") != "ended") found.jobs.push_back(job);
    seen += jobs.size();
    if (jobs.size() < kJobsInPage) return Done{};
  }
}

Result<Done> add_ended(const DaemonAddress& daemon, const QueueQuery& query, DaemonQueue& found) {
  const auto page = jobs_at(
      daemon, query, fmt::format("/api/v1/ended?hours={}&limit={}", query.hours, kMostEndedJobs));
  if (!page) return page.error();
  std::set<std::string> present;
  for (const QueueJson& job : found.jobs) present.insert(member_text(job, "id"));
  for (const QueueJson& job :
       (*page)["jobs"])  // one that was put back into the queue has not ended
    if (job.is_object() && !present.contains(member_text(job, "id"))) found.jobs.push_back(job);
  found.more = page->contains("more") && (*page)["more"] == true;
  return Done{};
}

}  // namespace

Result<DaemonQueue> fetch_queue(const DaemonAddress& daemon, const QueueQuery& query) {
  DaemonQueue found;
  auto done = add_present(daemon, query, found);
  if (done && query.with_ended) done = add_ended(daemon, query, found);
  if (!done) return std::move(done).error();
  sort_queue(found.jobs);
  return found;
}

void sort_queue(std::vector<QueueJson>& jobs) {
  std::ranges::stable_sort(jobs, comes_before);
}

std::vector<std::vector<std::string>> queue_rows(const std::vector<QueueJson>& jobs, bool bills) {
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
  for (const QueueJson& job : jobs) rows.push_back(queue_row(job, bills));
  return rows;
}

}  // namespace penstock
