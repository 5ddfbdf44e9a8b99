#include <fmt/format.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/serve.h"
#include "live/bridge_link.h"
#include "live/json_at.h"
#include "live/records.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(30);

/// The answer to one request; null if none came in time.
json asked(BridgeLink& link, const std::string& members) {
  const auto begun = BridgeLink::Steady::now();
  link.attend(begun);
  link.send(members);
  while (BridgeLink::Steady::now() - begun < kPatience) {
    link.attend(BridgeLink::Steady::now());
    while (const auto message = link.next()) {
      if (message->kind == BridgeMessage::Kind::answer) return *message->body;
      if (message->kind == BridgeMessage::Kind::lost) return {};
    }
    pollfd ready{.fd = link.reading(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
  }
  return {};
}

/// How many were released; nothing if the cluster did not answer.
std::optional<int> release_site(const SlurmSpec& spec) {
  BridgeLink link(bridge_of(spec));
  const json answer = asked(link, "\"do\":\"jobs\"");
  if (!is_fine(answer)) return std::nullopt;
  int released = 0;
  for (const json& record : list_at(answer, "jobs")) {
    const auto job = read_slurm_job(record);
    if (!job || job->phase != SlurmJob::Phase::pending || !job->held ||
        !job->admin_comment.starts_with("penstock: held"))
      continue;
    const json done =
        asked(link, fmt::format("\"do\":\"update\",\"job\":{},\"hold\":false,\"nodes\":[],"
                                "\"admin_comment\":\"penstock: released\"",
                                json(job->ref).dump()));
    if (is_fine(done)) ++released;
  }
  return released;
}

}  // namespace

int release_held(const ServeConfig& config) {
  int exit_code = kFine;
  for (const SlurmSpec& spec : config.sites) {
    const auto released = release_site(spec);
    if (released)
      fmt::print("{}: {} jobs are left to Slurm\n", spec.options.name, *released);
    else
      exit_code = refuse(fmt::format("{}: Slurm does not answer", spec.options.name));
  }
  return exit_code;
}

}  // namespace penstock
