#include "io/traces/formats/sacct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "io/traces/json.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

/// What stands before the next `separator`; it is taken off the text.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

void add_type(NamedGpus& gpus, std::string_view type) {
  gpus.types += (gpus.types.empty() ? "" : "|") + std::string(type);
}

}  // namespace

NamedGpus gpus_in_tres(std::string_view text) {
  constexpr std::string_view kGpu = "gres/gpu";
  NamedGpus gpus;
  std::uint32_t all = 0;
  while (!text.empty()) {
    const std::string_view item = take_until(text, ',');
    const auto equals = item.find('=');
    if (!item.starts_with(kGpu) || equals == std::string_view::npos) continue;
    const auto count = parse_number<std::uint32_t>(item.substr(equals + 1));
    if (!count) continue;
    if (item[kGpu.size()] == '=') all = *count;
    if (item[kGpu.size()] != ':') continue;
    gpus.count += *count;
    add_type(gpus, item.substr(kGpu.size() + 1, equals - kGpu.size() - 1));
  }
  gpus.count = std::max(all, gpus.count);
  return gpus;
}

NamedGpus gpus_in_gres(std::string_view text) {
  NamedGpus gpus;
  while (!text.empty()) {
    std::string_view item = take_until(text, ',');
    std::string_view word = take_until(item, ':');
    if (word == "gres") word = take_until(item, ':');
    if (word != "gpu") continue;
    word = take_until(item, ':');
    auto count = parse_number<std::uint32_t>(word);
    if (!count && !word.empty()) {
      add_type(gpus, word);
      count = parse_number<std::uint32_t>(take_until(item, ':'));
    }
    gpus.count += count ? *count : 1;
  }
  return gpus;
}

// What `sacct --json` and `squeue --json` print (Slurm 22.05; numbers wrapped as {"set", "number"}
// and states in lists, as later ones print them, are read too). Times are seconds since 1970, so
// no zone is guessed. Only jobs that have ended are taken: of the others nobody knows the run time.
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
std::string job_or_task_name(Row& row, const json& id, const json& array, const json& task) {
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

void fill_json_times(Row& row, double submitted, double ran, std::optional<double> limit) {
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
  fill_json_times(row, submitted, ran, number_of(member(entry, "time_limit")));
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
  fill_json_times(row, submitted, elapsed, number_of(member(time, "limit")));
}

void fill_from_json(Row& row, const json& entry) {
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
    return job_or_task_name(row, member(entry, "job_id"), member(array, "job_id"),
                            member(array, "task_id"));
  return job_or_task_name(row, member(entry, "job_id"), member(entry, "array_job_id"),
                          member(entry, "array_task_id"));
}

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
    fill_from_json(row, jobs[i]);
    if (row.is_good() && number_of(member(jobs[i], "restart_cnt")).value_or(0) > 0) ++restarted;
    if (!rows.close(row)) break;
  }
  if (restarted > 0)
    rows.note(fmt::format("{} jobs were started more than once; only the last run is in the file",
                          restarted));
  return Done{};
}

}  // namespace

// Slurm's accounting as `sacct -P` prints it: cells between '|', times in the
// cluster's local zone without saying so. Rows of job steps ("12.batch") are left
// out. Devices are the GPUs in AllocTRES or ReqTRES; a table without either
// counts nodes.
Result<Done> read_sacct(std::string_view text, TraceRows& rows);

namespace {

/// "[days-]hours:minutes:seconds" or "minutes:seconds", in seconds.
std::optional<double> clock_time(std::string_view text) {
  double days = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = parse_number<std::uint32_t>(text.substr(0, dash));
    if (!value) return std::nullopt;
    days = *value;
    text.remove_prefix(dash + 1);
  }
  double total = 0;
  for (bool more = true; more;) {
    const auto colon = text.find(':');
    more = colon != std::string_view::npos;
    const auto part = parse_number<double>(text.substr(0, colon));
    if (!part || *part < 0) return std::nullopt;
    total = total * 60 + *part;
    text.remove_prefix(more ? colon + 1 : text.size());
  }
  return days * 86400 + total;
}

struct SacctColumns {
  std::size_t id = 0, submit = 0, elapsed = 0;
  std::optional<std::size_t> limit{}, allocated{}, asked{}, nodes{}, user{}, account{}, name{};
};

Result<SacctColumns> find_sacct_columns(const CsvTable& table) {
  const auto columns = table.columns({"JobID", "Submit", "Elapsed"});
  if (!columns) return columns.error();
  const auto [id, submit, elapsed] = *columns;
  const auto nodes = table.find("NNodes") ? table.find("NNodes") : table.find("AllocNodes");
  SacctColumns at{id,
                  submit,
                  elapsed,
                  table.find("Timelimit"),
                  table.find("AllocTRES"),
                  table.find("ReqTRES"),
                  nodes,
                  table.find("User"),
                  table.find("Account"),
                  table.find("JobName")};
  if (!at.allocated && !at.asked && !at.nodes)
    return Error{table.file() + ": no column AllocTRES, ReqTRES or NNodes tells the size of jobs"};
  return at;
}

std::string_view optional_cell(const CsvTable& table, std::optional<std::size_t> at) {
  return at ? table.cell(*at) : std::string_view{};
}

void fill_size(Row& row, const CsvTable& table, const SacctColumns& at) {
  if (!at.allocated && !at.asked) {
    row.job.job.gpus = row.gpus("NNodes", table.cell(*at.nodes));
    return;
  }
  NamedGpus gpus = gpus_in_tres(optional_cell(table, at.allocated));
  if (gpus.count == 0) gpus = gpus_in_tres(optional_cell(table, at.asked));
  if (gpus.count == 0) return row.leave_out("AllocTRES: a job without GPUs");
  row.job.job.gpus = row.gpus("AllocTRES", gpus.count);
  row.job.gpu_spec = std::move(gpus.types);
}

void fill_from_table(Row& row, const CsvTable& table, const SacctColumns& at) {
  auto& traced = row.job;
  traced.job.name = table.cell(at.id);
  traced.job.user = optional_cell(table, at.user);
  traced.job.group = optional_cell(table, at.account);
  traced.job.kind = optional_cell(table, at.name);
  traced.job.submitted = row.date("Submit", table.cell(at.submit));
  fill_size(row, table, at);
  const auto elapsed = clock_time(table.cell(at.elapsed));
  if (!elapsed)
    row.fail("Elapsed", "not a time",
             in_quotes(table.cell(at.elapsed)) + " is not like 1-02:03:04");
  if (elapsed == 0.0) return row.leave_out("Elapsed: 0, the job never ran");
  traced.actual = row.duration("Elapsed", elapsed.value_or(1), kSecond);
  if (const auto limit = clock_time(optional_cell(table, at.limit)); limit && *limit > 0)
    traced.job.requested = row.duration("Timelimit", *limit, kSecond);
}

}  // namespace

Result<Done> read_sacct(std::string_view text, TraceRows& rows) {
  rows.dated();
  const auto content = text.find_first_not_of(" \t\r\n");
  if (content != std::string_view::npos && text[content] == '{') return read_sacct_json(text, rows);
  rows.note("sacct states no time zone; times are taken as UTC");
  auto table = CsvTable::open(text, rows.file(), '|');
  if (!table) return std::move(table).error();
  const auto at = find_sacct_columns(*table);
  if (!at) return at.error();
  while (table->next()) {
    Row row(rows.open(), table->line());
    const auto id = table->cell(at->id);
    if (id.find('.') != std::string_view::npos) {
      row.leave_out("JobID: a step of a job");
    } else {
      TraceRows::whole(row, *table);
      rows.unique(row, "JobID", id);
      fill_from_table(row, *table, *at);
    }
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
