#include "live/recovery.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "io/json/json_at.h"
#include "live/job/ended_entry.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr Duration kShown = std::chrono::hours(24 * 7);  // for which Slurm may show an ended job

TrackedJob::Asked asked_in(const json& detail) {
  const auto count = [&](const char* name) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole_at(detail, name), 0, 1 << 20));
  };
  TrackedJob::Asked asked{
      .gpus = count("gpus"), .nodes = count("nodes"), .gpus_per_node = count("gpus_per_node")};
  if (const std::int64_t ms = whole_at(detail, "submitted_ms"); ms > 0)
    asked.submitted = Time(Duration(ms));
  return asked;
}

void restore_entry(const JournalEntry& entry, std::span<SlurmSite* const> sites) {
  const auto at = std::ranges::find_if(
      sites, [&](const SlurmSite* site) { return site->options().name == entry.site; });
  const json detail = json::parse(entry.detail, nullptr, false);
  if (at == sites.end() || !detail.is_object()) return;
  if (entry.what == "ended") return (*at)->history().remember_end(text_at(detail, "ref"));
  if (entry.what == "submitted")
    return (*at)->history().remember_asked(text_at(detail, "ref"), asked_in(detail));
  if (auto run = read_run(detail)) (*at)->history().remember_run(run->first, run->second);
}

constexpr std::int64_t kMostRemembered = 100'000;

std::optional<std::int64_t> pool_number_in(const std::string& detail) {
  const json parsed = json::parse(detail, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("pool") || !parsed["pool"].is_number_integer())
    return std::nullopt;
  return parsed["pool"].get<std::int64_t>();
}

/// The numbers in the pool of the jobs of all entries with this word.
Result<std::set<std::int64_t>> pool_numbers(Journal& journal, const char* what) {
  const auto entries = journal.latest_entries(what, kMostRemembered);
  if (!entries) return entries.error();
  std::set<std::int64_t> numbers;
  for (const JournalEntry& entry : *entries)
    if (const auto number = pool_number_in(entry.detail)) numbers.insert(*number);
  return numbers;
}

/// The sites that were asked to take a job of the pool, and did not refuse.
Result<std::map<std::int64_t, std::set<std::string>>> asked_sites(Journal& journal) {
  const auto requests = journal.latest_requests(kMostRemembered);
  if (!requests) return requests.error();
  std::map<std::int64_t, std::set<std::string>> asked;
  for (const JournalRequest& request : *requests) {
    if (request.verb != "submit" || request.state == RequestState::refused) continue;
    const json detail = json::parse(request.detail, nullptr, false);
    const auto number = detail.is_object() ? pool_number(text_at(detail, "comment")) : std::nullopt;
    if (number) asked[*number].insert(request.site);
  }
  return asked;
}

}  // namespace

Result<Done> restore_jobs(JournalReader& journal, std::span<SlurmSite* const> sites, Time now) {
  const auto take = [&](const JournalEntry& entry) {
    restore_entry(entry, sites);
    return true;
  };
  for (const char* what : {"submitted", "run"})
    if (auto done = journal.each_of_unended(what, take); !done) return done;
  return journal.latest("ended", now - kShown, take);
}

Result<Done> restore_pool(Journal& journal, JobPool& pool) {
  const auto entries = journal.latest_entries("pooled", kMostRemembered);
  if (!entries) return entries.error();
  const auto placed = pool_numbers(journal, "placed");
  if (!placed) return placed.error();
  const auto taken_back = pool_numbers(journal, "unpooled");
  if (!taken_back) return taken_back.error();
  const auto asked = asked_sites(journal);
  if (!asked) return asked.error();
  for (const JournalEntry& entry : *entries | std::views::reverse) {
    const auto number = pool_number_in(entry.detail);
    if (!number) continue;
    const json detail = json::parse(entry.detail, nullptr, false);
    const auto submission = bridge::read_submit_members(text_at(detail, "members"));
    if (!submission) continue;
    auto job = pooled_job(*number, *submission, entry.when);
    if (!job) continue;
    if (const auto sites = asked->find(*number); sites != asked->end()) job->asked = sites->second;
    const bool is_over = placed->contains(*number) || taken_back->contains(*number);
    pool.add(*std::move(job));  // also for its number
    if (is_over) pool.remove(*number);
  }
  return Done{};
}

Result<Done> close_open_requests(Journal& journal, Time now) {
  const auto open = journal.open_requests();
  if (!open) return open.error();
  for (const JournalRequest& request : *open)
    if (auto done = journal.answer(request.id, RequestState::lost,
                                   "the daemon ended before it heard the answer", now);
        !done)
      return done;
  return Done{};
}

}  // namespace penstock
