// What `sacct --json` and `squeue --json` print (Slurm 22.05; numbers wrapped as {"set", "number"}
// and states in lists, as later ones print them, are read too). Times are seconds since 1970, so
// no zone is guessed. Only jobs that have ended are taken: of the others nobody knows the run time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "io/traces/json.h"
#include "io/traces/rows.h"
#include "io/traces/tres.h"

namespace penstock {

Result<Done> read_sacct_json(std::string_view text, TraceRows& rows);

namespace {

using nlohmann::json;

/// 5 is 5, and so is {"set": true, "infinite": false, "number": 5}; nothing if it is not set.
std::optional<double> number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  const json& number = member(value, "number");
  if (!number.is_number() || member(value, "set") == false || member(value, "infinite") == true)
    return std::nullopt;
  return number.get<double>();
}

double needed_number(Row& row, const json& object, const char* key) {
  if (const auto number = number_of(member(object, key))) return *number;
  return number_in(row, object, key);  // tells what is wrong with it
}

std::string optional_text(Row& row, const json& object, const char* key) {
  return member(object, key).is_null() ? std::string() : text_in(row, object, key);
}

/// "COMPLETED", of which later versions make a list with what else is true of it.
std::string state_in(Row& row, const json& object, const char* key) {
  const json& state = member(object, key);
  if (state.is_array() && !state.empty() && state.front().is_string())
    return state.front().get<std::string>();
  return text_in(row, object, key);
}

bool has_ended(std::string_view state) {
  constexpr std::array<std::string_view, 10> kEnded{
      "COMPLETED",     "FAILED",   "CANCELLED", "TIMEOUT",      "NODE_FAIL",
      "OUT_OF_MEMORY", "DEADLINE", "PREEMPTED", "BOOT_FAILURE", "BOOT_FAIL"};
  return std::ranges::find(kEnded, state) != kEnded.end();
}

/// "12", or "9_3" for a task of an array.
std::string name_of(Row& row, const json& id, const json& array, const json& task) {
  const auto number = number_of(id);
  if (!number) {
    row.fail("job_id", id.is_null() ? "missing" : "not a number",
             id.is_null() ? "is missing" : "is not a number");
    return {};
  }
  const auto first = number_of(array);
  const auto of_array = number_of(task);
  if (first && *first > 0 && of_array) return fmt::format("{:.0f}_{:.0f}", *first, *of_array);
  return fmt::format("{:.0f}", *number);
}

void fill_times(Row& row, double submitted, double ran, std::optional<double> limit) {
  row.job.job.submitted = row.offset("submit_time", submitted, kSecond);
  if (ran == 0) return row.leave_out("start_time: the job never ran");
  row.job.actual = row.duration("end_time", ran, kSecond);
  if (limit && *limit > 0) row.job.job.requested = row.duration("time_limit", *limit, kMinute);
}

void fill_size(Row& row, NamedGpus gpus, std::string_view field) {
  if (gpus.count == 0) return row.leave_out("tres: a job without GPUs");
  row.job.job.gpus = row.gpus(field, gpus.count);
  row.job.gpu_spec = std::move(gpus.types);
}

/// squeue's: what was asked for, since its `tres` name GPUs only where accounting counts them.
void fill_asked_size(Row& row, const json& entry) {
  for (const char* key : {"tres_alloc_str", "tres_req_str"})
    if (const NamedGpus gpus = gpus_in_tres(optional_text(row, entry, key)); gpus.count > 0)
      return fill_size(row, gpus, key);
  if (gpus_in_gres(optional_text(row, entry, "tres_per_socket")).count > 0)
    return row.fail("tres_per_socket", "not countable",
                    "names GPUs, but not on how many sockets the job ran");
  struct Asked {
    const char* key;
    const char* times;  ///< how many of them there are; nullptr for one
  };
  for (const Asked& asked : {Asked{"tres_per_job", nullptr}, Asked{"tres_per_node", "node_count"},
                             Asked{"tres_per_task", "tasks"}}) {
    NamedGpus gpus = gpus_in_gres(optional_text(row, entry, asked.key));
    if (gpus.count == 0) continue;
    const double times = asked.times == nullptr ? 1 : needed_number(row, entry, asked.times);
    gpus.count = row.gpus(asked.key, gpus.count * times);
    return fill_size(row, gpus, asked.key);
  }
  fill_size(row, {}, "tres_alloc_str");
}

/// sacct's: a list of {"type": "gres", "name": "gpu:a100", "count": 4}.
NamedGpus gpus_in_list(const json& list) {
  std::string text;
  if (!list.is_array()) return {};
  for (const json& resource : list) {
    const json& name = member(resource, "name");
    const auto count = number_of(member(resource, "count"));
    if (member(resource, "type") == "gres" && name.is_string() && count)
      text += fmt::format("gres/{}={:.0f},", name.get_ref<const std::string&>(), *count);
  }
  return gpus_in_tres(text);
}

void fill_from_squeue(Row& row, const json& entry) {
  const std::string state = state_in(row, entry, "job_state");
  row.job.job.user = optional_text(row, entry, "user_name");
  if (!has_ended(state)) return row.leave_out("job_state: " + state + ", the job has not ended");
  const double submitted = needed_number(row, entry, "submit_time");
  const double ran =
      needed_number(row, entry, "end_time") - needed_number(row, entry, "start_time");
  fill_asked_size(row, entry);
  fill_times(row, submitted, ran, number_of(member(entry, "time_limit")));
}

void fill_from_sacct(Row& row, const json& entry) {
  const std::string state = state_in(row, member(entry, "state"), "current");
  row.job.job.user = optional_text(row, entry, "user");
  if (!has_ended(state)) return row.leave_out("state: " + state + ", the job has not ended");
  const json& time = member(entry, "time");
  const double submitted = needed_number(row, time, "submission");
  const double elapsed = needed_number(row, time, "elapsed");
  const json& tres = member(entry, "tres");
  NamedGpus gpus = gpus_in_list(member(tres, "allocated"));
  if (gpus.count == 0) gpus = gpus_in_list(member(tres, "requested"));
  fill_size(row, std::move(gpus), "tres");
  fill_times(row, submitted, elapsed, number_of(member(time, "limit")));
}

void fill(Row& row, const json& entry) {
  row.job.job.group = optional_text(row, entry, "account");
  row.job.job.kind = optional_text(row, entry, "name");
  if (member(entry, "time").is_object())
    fill_from_sacct(row, entry);
  else
    fill_from_squeue(row, entry);
}

std::string name_in(Row& row, const json& entry) {
  const json& array = member(entry, "array");
  if (array.is_object())
    return name_of(row, member(entry, "job_id"), member(array, "job_id"), member(array, "task_id"));
  return name_of(row, member(entry, "job_id"), member(entry, "array_job_id"),
                 member(entry, "array_task_id"));
}

}  // namespace

Result<Done> read_sacct_json(std::string_view text, TraceRows& rows) {
  const auto document = parse_json(text, rows.file());
  if (!document) return document.error();
  const json& jobs = member(*document, "jobs");
  if (!jobs.is_array())
    return Error{rows.file() +
                 ": jobs: is no list; possible: what sacct --json or squeue --json "
                 "prints"};
  std::deque<std::string> names;
  std::uint64_t restarted = 0;
  rows.expect(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Row row(rows.open(), i, "jobs");
    names.push_back(name_in(row, jobs[i]));
    rows.unique(row, "job_id", names.back());
    row.job.job.name = names.back();
    fill(row, jobs[i]);
    if (row.is_good() && number_of(member(jobs[i], "restart_cnt")).value_or(0) > 0) ++restarted;
    if (!rows.close(row)) break;
  }
  if (restarted > 0)
    rows.note(fmt::format("{} jobs were started more than once; only the last run is in the file",
                          restarted));
  return Done{};
}

}  // namespace penstock
