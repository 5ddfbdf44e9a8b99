#include "serve/api/pooled_job.h"

#include <fmt/format.h>

#include <charconv>
#include <ranges>

#include "serve/api/job_view.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

}  // namespace

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
  const auto [end, error] = std::from_chars(id.data() + 5, id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
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

}  // namespace penstock
