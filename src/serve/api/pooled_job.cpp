#include "serve/api/pooled_job.h"

#include <fmt/format.h>

#include <charconv>
#include <ranges>
#include <set>

#include "live/bridge/json_at.h"
#include "serve/api/job_view.h"

namespace penstock {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMostRemembered = 100'000;

std::optional<std::int64_t> number_in(const std::string& detail) {
  const json parsed = json::parse(detail, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("pool") || !parsed["pool"].is_number_integer())
    return std::nullopt;
  return parsed["pool"].get<std::int64_t>();
}

/// The numbers of entries with a word.
Result<std::set<std::int64_t>> numbers_of(Journal& journal, const char* what) {
  const auto entries = journal.latest_entries(what, kMostRemembered);
  if (!entries) return entries.error();
  std::set<std::int64_t> numbers;
  for (const JournalEntry& entry : *entries)
    if (const auto number = number_in(entry.detail)) numbers.insert(*number);
  return numbers;
}

/// Which sites were asked to take a job, and did not say no.
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

Result<PooledJob> pooled_job(std::int64_t number, const bridge::SubmitJob& submission,
                             Time submitted) {
  const auto gpus = submission.gpus.total;
  if (!gpus || *gpus < 1) return Error{"gpus: must be a whole number of GPUs, at least 1"};
  PooledJob job{.number = number, .submission = submission};
  job.as_slurm = {.number = number,
                  .ref = std::to_string(number),
                  .name = submission.name.empty() ? "job" : submission.name,
                  .partition = submission.partition,
                  .comment = submission.comment,
                  .state = "pending",
                  .batch = true,
                  .requeue = true,
                  .submitted = submitted,
                  .gpus = static_cast<std::uint32_t>(*gpus),
                  .gpu_type = submission.gpus.type};
  if (submission.time_limit && *submission.time_limit > 0)
    job.as_slurm.time_limit = std::chrono::minutes(*submission.time_limit);
  return job;
}

std::string pool_wait_reason(const PooledJob& job, const SchedulerSnapshot& snapshot) {
  if (job.at) return "it is being submitted";
  const std::string reason = job.id ? snapshot.policy_reason(*job.id) : "";
  return reason.empty() ? "it waits for a site" : reason;
}

ordered_json pooled_json(const PooledJob& job, const SchedulerSnapshot& snapshot) {
  const SlurmJob& seen = job.as_slurm;
  return {{"id", fmt::format("pool/{}", job.number)},
          {"site", job.at ? ordered_json(*job.at) : ordered_json()},
          {"job", nullptr},
          {"ref", nullptr},
          {"name", seen.name},
          {"user", nullptr},
          {"partition", seen.partition.empty() ? ordered_json() : ordered_json(seen.partition)},
          {"state", job.at ? "starting" : "queued"},
          {"gpus", 0},
          {"gpus_asked", seen.gpus},
          {"nodes", ordered_json::array()},
          {"clock_mhz", nullptr},
          {"submitted", time_json(seen.submitted)},
          {"started", nullptr},
          {"expected_end", nullptr},
          {"ended", nullptr},
          {"deadline", nullptr},
          {"priority", nullptr},
          {"kind", ""},
          {"why", pool_wait_reason(job, snapshot)}};
}

std::optional<std::int64_t> parse_pool_id(const std::string& id) {
  if (!id.starts_with("pool/")) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(id.data() + 5, id.data() + id.size(), number);
  if (trouble != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  return number;
}

Result<std::optional<NumberedJob>> find_placed_job(Journal& journal, std::int64_t number) {
  const auto entries = journal.pool_entries(number);
  if (!entries) return entries.error();
  for (const JournalEntry& entry : *entries | std::views::reverse)
    if (entry.what == "placed" && entry.job)
      return std::optional(NumberedJob{.site = entry.site, .number = *entry.job});
  return std::optional<NumberedJob>();
}

Result<Done> restore_pool(Journal& journal, SlurmBackend& backend) {
  const auto entries = journal.latest_entries("pooled", kMostRemembered);
  if (!entries) return entries.error();
  const auto placed = numbers_of(journal, "placed");
  if (!placed) return placed.error();
  const auto taken_back = numbers_of(journal, "unpooled");
  if (!taken_back) return taken_back.error();
  const auto asked = asked_sites(journal);
  if (!asked) return asked.error();
  for (const JournalEntry& entry : *entries | std::views::reverse) {
    const auto number = number_in(entry.detail);
    if (!number) continue;
    const json detail = json::parse(entry.detail, nullptr, false);
    const auto submission = bridge::read_submit_members(text_at(detail, "members"));
    if (!submission) continue;
    auto job = pooled_job(*number, *submission, entry.when);
    if (!job) continue;
    if (const auto sites = asked->find(*number); sites != asked->end()) job->asked = sites->second;
    const bool is_over = placed->contains(*number) || taken_back->contains(*number);
    backend.pool().add(*std::move(job));  // also for its number
    if (is_over) backend.pool().remove(*number);
  }
  return Done{};
}

}  // namespace penstock
