#include "journal/ended_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/traces/json.h"

namespace penstock {
namespace {

using nlohmann::json;

/// Reads the members of one object; `where` stands before their names in messages.
class Fields {
 public:
  Fields(const json& object, Row& row, std::string where)
      : object_(object), row_(row), where_(std::move(where)) {}

  std::string text(const char* key) const {
    const json& value = member(object_, key);
    if (value.is_null()) return {};
    if (value.is_string()) return value.get<std::string>();
    fail(key, "not a text");
    return {};
  }
  std::optional<double> maybe(const char* key, double least = 0) const {
    const json& value = member(object_, key);
    if (value.is_null()) return std::nullopt;
    if (value.is_number() && std::isfinite(value.get<double>())) {
      if (value.get<double>() >= least) return value.get<double>();
      fail(key, fmt::format("less than {}", least));
    } else {
      fail(key, "not a number");
    }
    return std::nullopt;
  }
  double number(const char* key, double least = 0) const {
    if (member(object_, key).is_null()) fail(key, "missing");
    return maybe(key, least).value_or(least);
  }
  std::uint32_t count(const char* key) const { return row_.gpus(where_ + key, number(key, 1)); }
  Time time(const char* key) const { return row_.offset(where_ + key, number(key), 1e-3); }
  bool flag(const char* key) const {
    const json& value = member(object_, key);
    if (!value.is_null() && !value.is_boolean()) fail(key, "neither true nor false");
    return value == true;
  }
  void fail(const char* key, const std::string& reason) const {
    row_.fail(where_ + key, reason, "is " + reason);
  }

 private:
  const json& object_;
  Row& row_;
  std::string where_;
};

std::vector<std::string> texts_in(const json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const json& each : list)
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

EndedRun run_in(const json& object, Row& row, std::size_t number) {
  const Fields fields(object, row, fmt::format("runs[{}].", number));
  EndedRun run{
      .started = fields.time("started_ms"),
      .ended = fields.time("ended_ms"),
      .gpus = fields.count("gpus"),
      .nodes = texts_in(member(object, "nodes")),
      .type = fields.text("type"),
      .clock_mhz = static_cast<std::uint32_t>(std::min(fields.maybe("clock_mhz").value_or(0), 1e6)),
      .batch = fields.maybe("batch"),
      .done = fields.maybe("done")};
  if (const auto lag = fields.maybe("lag_s"); lag && *lag < 1e9) run.lag = round_duration(*lag);
  if (run.ended < run.started) fields.fail("ended_ms", "before started_ms");
  return run;
}

void read_runs(EndedJob& job, const json& object, const Fields& fields, Row& row) {
  const json& runs = member(object, "runs");
  if (runs.is_array() && std::ranges::any_of(runs, [](const json& run) {
        return run.is_object() && member(run, "ended_ms").is_null();
      }))
    return row.leave_out("runs: the end of one is not known");
  if (!runs.is_array()) return fields.fail("runs", runs.is_null() ? "missing" : "not a list");
  for (const json& each : runs) {
    job.runs.push_back(run_in(each, row, job.runs.size()));
    if (job.runs.size() > 1 && job.runs.back().started < job.runs.end()[-2].started)
      row.fail(fmt::format("runs[{}].started_ms", job.runs.size() - 1), "too early",
               "lies before that of the run before");
  }
}

void read_user_options(EndedJob& job, const Fields& fields) {
  if (const auto limit = fields.maybe("time_limit_s"); limit && *limit > 0 && *limit < 1e10)
    job.time_limit = round_duration(*limit);
  job.kind = fields.text("kind");
  job.work = fields.maybe("work");
  job.batch = fields.maybe("batch");
  if (fields.maybe("deadline_ms")) job.deadline = fields.time("deadline_ms");
  job.priority = fields.maybe("priority", -1e9);
  job.tardiness_per_s = fields.maybe("tardiness_per_s");
  if (fields.maybe("least")) job.least = fields.count("least");
  if (fields.maybe("most")) job.most = fields.count("most");
  job.pinned = fields.flag("pinned");
}

}  // namespace

EndedJob read_ended(std::string_view detail, Row& row) {
  EndedJob job;
  const auto document = parse_json(detail, "detail");
  if (!document || !document->is_object()) {
    row.fail("detail", "not valid JSON", "is not an object of JSON");
    return job;
  }
  const Fields fields(*document, row, "");
  job.ref = fields.text("ref");
  job.name = fields.text("name");
  job.user = fields.text("user");
  job.account = fields.text("account");
  job.partition = fields.text("partition");
  job.comment = fields.text("comment");
  job.state = fields.text("state");
  job.submitted = fields.time("submitted_ms");
  if (fields.maybe("gpus") == 0) {
    row.leave_out("gpus: a job without GPUs");
    return job;
  }
  job.gpus = fields.count("gpus");
  job.gpu_type = fields.text("gpu_type");
  read_user_options(job, fields);
  read_runs(job, *document, fields, row);
  // Slurm counts a job that it has put back into the queue as submitted anew.
  if (!job.runs.empty()) job.submitted = std::min(job.submitted, job.runs.front().started);
  job.energy_j = fields.maybe("energy_j").value_or(0);
  job.cost = fields.maybe("cost", -1e300).value_or(0);
  job.carbon_g = fields.maybe("carbon_g", -1e300).value_or(0);
  job.predicted_cost = fields.maybe("predicted_cost", -1e300);
  return job;
}

}  // namespace penstock
