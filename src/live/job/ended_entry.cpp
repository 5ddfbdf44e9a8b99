#include "live/job/ended_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using nlohmann::json;

json ms_of(const std::optional<Time>& when) {
  return when ? json(when->time_since_epoch().count()) : json();
}

json or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

json bare_run(const LiveRun& run) {
  return {{"started_ms", ms_of(run.started)},
          {"ended_ms", ms_of(run.ended)},
          {"gpus", run.gpus},
          {"nodes", run.nodes},
          {"type", run.type},
          {"clock_mhz", run.clock_mhz},
          {"done", run.done ? json(*run.done) : json()},
          {"lag_s", run.lag ? json(seconds(*run.lag)) : json()}};
}

std::optional<Time> deadline_of(const TrackedJob& job) {
  if (job.user_options.deadline) return job.user_options.deadline;
  if (!job.user_options.deadline_after || !job.seen.submitted) return std::nullopt;
  return *job.seen.submitted + *job.user_options.deadline_after;
}

std::string text_of(const TrackedJob& job) {
  Duration held{};
  for (const LiveRun& run : job.runs_seen)
    if (run.ended) held += *run.ended - run.started;
  return fmt::format("ended: {}, after {} {} and {:.1f} s with GPUs", job.seen.state,
                     job.runs_seen.size(), job.runs_seen.size() == 1 ? "run" : "runs",
                     seconds(held));
}

}  // namespace

json ended_detail(const TrackedJob& job, const EndedBill& bill) {
  const SlurmJob& seen = job.seen;
  const UserOptions& user_options = job.user_options;
  json runs = json::array();
  for (const LiveRun& run : job.runs_seen) runs.push_back(bare_run(run));
  const bool elastic = user_options.gpus && !job.kind.empty();
  return {
      {"text", text_of(job)},
      {"ref", seen.ref},
      {"name", seen.name},
      {"user", seen.user},
      {"account", or_null(seen.account)},
      {"partition", seen.partition},
      {"comment", seen.comment},
      {"state", seen.state},
      {"exit_code", seen.exit_code},
      {"submitted_ms", ms_of(seen.submitted)},
      {"gpus", job.asked > 0 ? job.asked : seen.gpus},
      {"gpu_type", or_null(seen.gpu_type)},
      {"time_limit_s", seen.time_limit ? json(seconds(*seen.time_limit)) : json()},
      {"kind", job.kind},
      {"work", job.work > 0 ? json(job.work) : json()},
      {"batch", user_options.batch ? json(*user_options.batch) : json()},
      {"deadline_ms", ms_of(deadline_of(job))},
      {"priority", user_options.priority ? json(*user_options.priority) : json()},
      {"tardiness_per_s", deadline_of(job) ? json(job.tardiness.value()) : json()},
      {"least", elastic ? json(user_options.gpus->least) : json()},
      {"most", elastic ? json(user_options.gpus->most) : json()},
      {"pinned", !user_options.checkpoint &&
                     !(user_options.gpus && user_options.gpus->least < user_options.gpus->most)},
      {"runs", runs},
      {"energy_j", bill.bill.energy.value()},
      {"cost", (bill.bill.cost + bill.bill.rent).value()},
      {"carbon_g", bill.bill.carbon.value()},
      {"predicted_cost", bill.predicted ? json(bill.predicted->value()) : json()}};
}

json run_detail(const std::string& ref, const LiveRun& run) {
  json detail = bare_run(run);
  detail["ref"] = ref;
  detail["text"] =
      fmt::format("its run on {} with {} is over", fmt::join(run.nodes, " "), gpus_label(run.gpus));
  return detail;
}

std::optional<std::pair<std::string, LiveRun>> read_run(const json& detail) {
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto found = detail.find(name);
    if (found == detail.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  };
  if (!detail.is_object() || !detail.contains("ref") || !detail["ref"].is_string() ||
      !number("started_ms") || !number("ended_ms"))
    return std::nullopt;
  LiveRun run{.started = Time(Duration(static_cast<std::int64_t>(*number("started_ms")))),
              .ended = Time(Duration(static_cast<std::int64_t>(*number("ended_ms")))),
              .gpus = static_cast<std::uint32_t>(number("gpus").value_or(0)),
              .type = text_at(detail, "type"),
              .clock_mhz = static_cast<std::uint32_t>(number("clock_mhz").value_or(0)),
              .done = number("done")};
  if (const auto lag = number("lag_s"); lag && *lag >= 0 && *lag < 1e9)
    run.lag = round_duration(*lag);
  if (const auto nodes = detail.find("nodes"); nodes != detail.end() && nodes->is_array())
    for (const json& node : *nodes)
      if (node.is_string()) run.nodes.push_back(node.get<std::string>());
  return std::pair(detail["ref"].get<std::string>(), std::move(run));
}

}  // namespace penstock
