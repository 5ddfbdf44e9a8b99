#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/serve.h"
#include "live/bridge/discover.h"
#include "live/bridge/json_at.h"
#include "live/job/slurm_records.h"
#include "serve/journal/journal_reader.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(30);

/// How many were released, or why the cluster could not be asked.
Result<int> release_site(const SlurmSpec& spec) {
  BridgeLink link(bridge_of(spec));
  const auto answer = ask_once(link, "\"do\":\"jobs\"", kPatience);
  if (!answer) return answer.error();
  if (!is_fine(*answer)) return Error{error_text(*answer)};
  int released = 0;
  for (const json& record : list_at(*answer, "jobs")) {
    const auto job = read_slurm_job(record);
    if (!job || job->phase != SlurmJob::Phase::pending || !job->is_held_for_us()) continue;
    const auto done =
        ask_once(link,
                 fmt::format("\"do\":\"update\",\"job\":{},\"hold\":false,\"nodes\":[],"
                             "\"admin_comment\":\"penstock: released\"",
                             json(job->ref).dump()),
                 kPatience);
    if (done && is_fine(*done)) ++released;
  }
  return released;
}

/// Jobs that no Slurm knows cannot be left to any.
void tell_of_pool(const std::filesystem::path& journal) {
  std::error_code trouble;
  if (journal.empty() || !std::filesystem::exists(journal, trouble)) return;
  auto reader = JournalReader::open(journal);
  const auto waiting = reader ? reader->jobs_in_pool() : Result<std::uint64_t>(reader.error());
  if (!waiting)
    remark("note: how many jobs wait for a site cannot be told: " + waiting.error().message);
  else if (*waiting > 0)
    fmt::print("pool: {} wait with the daemon until it runs again: no Slurm knows them\n",
               *waiting == 1 ? "1 job" : fmt::format("{} jobs", *waiting));
}

}  // namespace

int release_held(const ServeConfig& config) {
  std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
  for (const std::string& note : config.notes) remark("note: " + note);
  int exit_code = kExitOk;
  for (const SlurmSpec& spec : config.sites) {
    const auto released = release_site(spec);
    if (released)
      fmt::print("{}: {} jobs are left to Slurm\n", spec.options.name, *released);
    else
      exit_code = refuse(fmt::format("{}: Slurm does not answer: {}", spec.options.name,
                                     released.error().message));
  }
  tell_of_pool(config.journal);
  return exit_code;
}

}  // namespace penstock
