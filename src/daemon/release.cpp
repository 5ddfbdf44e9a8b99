#include "daemon/release.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/setup.h"
#include "io/json/json_at.h"
#include "journal/journal_reader.h"
#include "live/bridge/bridge_answer.h"
#include "live/job/slurm_records.h"

namespace penstock {
namespace {

constexpr auto kReleaseTimeout = std::chrono::seconds(30);

}  // namespace

Result<int> release_held_jobs(const SlurmSpec& site) {
  using nlohmann::json;
  BridgeLink link(bridge_options(site));
  const auto answer = ask_once(link, bridge::ListJobs{}, kReleaseTimeout);
  if (!answer) return answer.error();
  if (!is_fine(*answer)) return Error{error_text(*answer)};
  int released = 0;
  for (const json& record : list_at(*answer, "jobs")) {
    const auto job = read_slurm_job(record);
    if (!job || job->phase != SlurmJob::Phase::pending || !job->is_held_for_us()) continue;
    const auto done = ask_once(link,
                               bridge::UpdateJob{.job = job->ref,
                                                 .hold = false,
                                                 .nodes = std::vector<std::string>{},
                                                 .admin_comment = std::string(kReleasedMark)},
                               kReleaseTimeout);
    if (done && is_fine(*done)) ++released;
  }
  return released;
}

Result<std::uint64_t> count_pooled_jobs(const std::filesystem::path& journal) {
  std::error_code error;
  if (journal.empty() || !std::filesystem::exists(journal, error)) return std::uint64_t{0};
  auto reader = JournalReader::open(journal);
  if (!reader) return std::move(reader).error();
  return reader->jobs_in_pool();
}

}  // namespace penstock
