#include "live/job/slurm_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::json;

std::string text_in(const json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_in(const json& record, const char* name, std::int64_t otherwise = 0) {
  const auto found = record.find(name);
  return found != record.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                             : otherwise;
}

/// A count: what is absurd becomes 0.
std::uint32_t count_in(const json& record, const char* name) {
  const std::int64_t number = number_in(record, name);
  return number > 0 && number < 1'000'000'000 ? static_cast<std::uint32_t>(number) : 0;
}

bool flag_in(const json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_boolean() && found->get<bool>();
}

std::optional<Time> time_in(const json& record, const char* name) {
  const std::int64_t at = number_in(record, name);
  if (at <= 0 || at > 1'000'000'000'000) return std::nullopt;
  return Time(std::chrono::seconds(at));
}

std::vector<std::string> texts_in(const json& record, const char* name) {
  std::vector<std::string> texts;
  const auto found = record.find(name);
  if (found == record.end() || !found->is_array()) return texts;
  for (const json& each : *found)
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

std::vector<SlurmJob::Held> held_in(const json& record) {
  std::vector<SlurmJob::Held> all;
  const auto found = record.find("gpus_held");
  if (found == record.end() || !found->is_array()) return all;
  for (const json& each : *found) {
    if (!each.is_object()) continue;
    SlurmJob::Held held{.node = text_in(each, "node"), .type = text_in(each, "type")};
    const auto indices = each.find("indices");
    if (indices != each.end() && indices->is_array())
      for (const json& index : *indices)
        if (index.is_number_unsigned()) held.indices.push_back(index.get<std::uint32_t>());
    all.push_back(std::move(held));
  }
  return all;
}

SlurmJob::Phase phase_of(std::string_view state) {
  if (state == "pending") return SlurmJob::Phase::pending;
  if (state == "running" || state == "suspended") return SlurmJob::Phase::running;
  return SlurmJob::Phase::ended;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void read_times(const json& record, SlurmJob& job) {
  job.dependency = text_in(record, "dependency");
  job.submitted = time_in(record, "submitted");
  job.eligible = time_in(record, "eligible");
  job.started = time_in(record, "started");
  job.ended = time_in(record, "ended");
  // Slurm gives a job without a limit, in a partition without one, a year once it runs.
  constexpr std::uint32_t kNoLimit = 365 * 24 * 60;
  if (const std::uint32_t limit = count_in(record, "time_limit_min");
      limit > 0 && limit != kNoLimit)
    job.time_limit = std::chrono::minutes(limit);
}

void read_machines(const json& record, SlurmJob& job) {
  job.nodes = texts_in(record, "nodes");
  job.node_count = std::max(1u, count_in(record, "node_count"));
  job.gpus = count_in(record, "gpus");
  job.gpus_per_node = count_in(record, "gpus_per_node");
  job.gpu_type = text_in(record, "gpu_type");
  job.gpus_by_task = number_in(record, "gpus_per_task") > 0;
  job.gpus_held = held_in(record);
  job.clock_mhz = count_in(record, "clock_mhz");
  job.features = text_in(record, "features");
}

}  // namespace

std::uint32_t SlurmJob::gpus_held_count() const {
  std::size_t count = 0;
  for (const Held& each : gpus_held) count += each.indices.size();
  return static_cast<std::uint32_t>(count);
}

std::optional<SlurmJob> read_slurm_job(const json& record) {
  if (!record.is_object()) return std::nullopt;
  SlurmJob job{.number = number_in(record, "job"),
               .ref = text_in(record, "ref"),
               .array_tasks = text_in(record, "array_tasks"),
               .array_job = number_in(record, "array_job"),
               .name = text_in(record, "name"),
               .user = text_in(record, "user"),
               .account = text_in(record, "account"),
               .partition = text_in(record, "partition"),
               .comment = text_in(record, "comment"),
               .admin_comment = text_in(record, "admin_comment"),
               .state = text_in(record, "state"),
               .reason = text_in(record, "reason"),
               .held = flag_in(record, "held"),
               .batch = flag_in(record, "batch"),
               .requeue = flag_in(record, "requeue"),
               .restarts = count_in(record, "restarts"),
               .work_dir = text_in(record, "work_dir"),
               .exit_code = number_in(record, "exit_code")};
  if (job.number <= 0 || job.state.empty()) return std::nullopt;
  if (job.ref.empty()) job.ref = std::to_string(job.number);
  job.phase = phase_of(job.state);
  job.completing = has(texts_in(record, "flags"), "completing");
  read_times(record, job);
  read_machines(record, job);
  return job;
}

std::optional<SlurmNode> read_slurm_node(const json& record) {
  if (!record.is_object()) return std::nullopt;
  SlurmNode node{.name = text_in(record, "name"),
                 .state = text_in(record, "state"),
                 .flags = texts_in(record, "flags"),
                 .partitions = texts_in(record, "partitions"),
                 .reason = text_in(record, "reason")};
  if (node.name.empty() || node.state.empty()) return std::nullopt;
  const auto gpus = record.find("gpus");
  if (gpus != record.end() && gpus->is_array())
    for (const json& each : *gpus)
      if (each.is_object()) node.gpus.push_back({text_in(each, "type"), count_in(each, "total")});
  return node;
}

bool SlurmNode::can_work() const {
  static constexpr std::array<std::string_view, 6> kBadFlags{
      "drain", "fail", "no_respond", "maintenance", "invalid", "reboot_issued"};
  if (state == "down" || state == "error" || state == "future" || state == "unknown") return false;
  return std::ranges::none_of(kBadFlags, [&](std::string_view bad) { return has(flags, bad); });
}

std::string SlurmNode::problem() const {
  std::string text = state;
  for (const std::string& flag : flags) text += " " + flag;
  return reason.empty() ? text : fmt::format("{} ({})", text, reason);
}

std::vector<std::uint32_t> read_tasks(std::string_view text, std::size_t most) {
  std::vector<std::uint32_t> tasks;
  while (!text.empty() && tasks.size() < most) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    std::uint32_t from = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), from);
    std::uint32_t to = from;
    if (error == std::errc{} && end != part.data() + part.size() && *end == '-')
      std::from_chars(end + 1, part.data() + part.size(), to);
    if (error == std::errc{})
      for (std::uint32_t task = from; task <= to && tasks.size() < most; ++task)
        tasks.push_back(task);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return tasks;
}

}  // namespace penstock
