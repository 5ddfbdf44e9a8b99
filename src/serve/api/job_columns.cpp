#include "serve/api/job_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "serve/api/job_view.h"
#include "serve/api/pooled_job.h"

namespace penstock {

void append_json_text(std::string& json, std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain)) {
    json.append("\"").append(text).append("\"");
    return;
  }
  json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JobColumns::put(Column column, std::string_view text) {
  append_json_text(columns_[column], text);
  columns_[column] += ',';
}

void JobColumns::put(Column column, std::uint64_t number) {
  fmt::format_to(std::back_inserter(columns_[column]), "{},", number);
}

void JobColumns::put(Column column, const std::optional<double>& number) {
  if (number)
    fmt::format_to(std::back_inserter(columns_[column]), "{},", *number);
  else
    columns_[column] += "null,";
}

void JobColumns::put(Column column, const std::optional<Time>& when) {
  if (when)
    fmt::format_to(std::back_inserter(columns_[column]), "{},", when->time_since_epoch().count());
  else
    columns_[column] += "null,";
}

void JobColumns::add(const TrackedJob& job, const SlurmSite& site,
                     const SchedulerSnapshot& snapshot) {
  const SlurmJob& seen = job.seen;
  const JobStatus facts = status_of(job, site, snapshot);
  ++rows_;
  put(id, site.options().name + "/" + seen.ref);
  put(name, seen.name);
  put(user, seen.user);
  put(partition, seen.partition);
  put(state, facts.state);
  put(gpus_held, facts.gpus);
  put(gpus_asked, facts.gpus_asked);
  put(nodes, fmt::format("{}", fmt::join(seen.nodes, " ")));
  put(clock_mhz, facts.clock_mhz);
  put(submitted_ms, seen.submitted);
  put(started_ms, seen.started);
  put(expected_end_ms, facts.expected_end);
  put(ended_ms, seen.ended);
  put(deadline_ms, facts.deadline);
  put(priority, job.user_options.priority);
  put(kind, job.kind);
  put(why, facts.why);
}

void JobColumns::add(const PooledJob& job, const SchedulerSnapshot& snapshot) {
  const SlurmJob& seen = job.as_slurm;
  ++rows_;
  put(id, fmt::format("pool/{}", job.number));
  put(name, seen.name);
  put(user, "");
  put(partition, seen.partition);
  put(state, job.at ? "starting" : "queued");
  put(gpus_held, 0);
  put(gpus_asked, seen.gpus);
  put(nodes, "");
  put(clock_mhz, std::optional<double>());
  put(submitted_ms, seen.submitted);
  for (const Column time : {started_ms, expected_end_ms, ended_ms, deadline_ms})
    put(time, std::optional<Time>());
  put(priority, std::optional<double>());
  put(kind, "");
  put(why, pool_wait_reason(job, snapshot));
}

std::string JobColumns::text(std::int64_t total, std::uint64_t event) const {
  constexpr std::array<std::string_view, kColumns> kNames{
      "id",         "name",        "user",      "partition",    "state",      "gpus",
      "gpus_asked", "nodes",       "clock_mhz", "submitted_ms", "started_ms", "expected_end_ms",
      "ended_ms",   "deadline_ms", "priority",  "kind",         "why"};
  std::size_t size = 512;
  for (const std::string& column : columns_) size += column.size();
  std::string json;
  json.reserve(size);
  json += fmt::format(R"({{"total":{},"event":{},"columns":{{)", total, event);
  for (std::size_t i = 0; i < kColumns; ++i) {
    json.append(i > 0 ? ",\"" : "\"").append(kNames[i]).append("\":[");
    json.append(columns_[i], 0, columns_[i].empty() ? 0 : columns_[i].size() - 1).append("]");
  }
  return json += "}}";
}

}  // namespace penstock
