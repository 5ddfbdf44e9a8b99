#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/serve.h"
#include "live/discover.h"
#include "live/json_at.h"
#include "live/records.h"

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

}  // namespace

int release_held(const ServeConfig& config) {
  std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
  for (const std::string& note : config.notes) remark("note: " + note);
  int exit_code = kFine;
  for (const SlurmSpec& spec : config.sites) {
    const auto released = release_site(spec);
    if (released)
      fmt::print("{}: {} jobs are left to Slurm\n", spec.options.name, *released);
    else
      exit_code = refuse(fmt::format("{}: Slurm does not answer: {}", spec.options.name,
                                     released.error().message));
  }
  return exit_code;
}

}  // namespace penstock
