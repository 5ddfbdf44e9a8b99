#include "serve/journal/recovery.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/bridge/json_at.h"
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
