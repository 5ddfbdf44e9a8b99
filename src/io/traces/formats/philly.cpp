// The Philly trace: the flattened table of the Pollux and ElasticFlow artefacts, or the original
// cluster_job_log.
#include <algorithm>
#include <charconv>
#include <deque>
#include <nlohmann/json.hpp>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "io/traces/json.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_philly(std::string_view text, TraceRows& rows);

// The original cluster_job_log: a list of {status, vc, jobid, attempts
// [{start_time, end_time, detail [{ip, gpus [..]}]}], submitted_time, user}. A
// job's run time is that of all its attempts, its size that of the largest.
namespace {

using nlohmann::json;

std::uint32_t gpus_of(const json& attempt) {
  std::uint32_t gpus = 0;
  const auto& detail = member(attempt, "detail");
  if (!detail.is_array()) return 0;
  for (const auto& machine : detail)
    if (const auto& held = member(machine, "gpus"); held.is_array())
      gpus += static_cast<std::uint32_t>(held.size());
  return gpus;
}

Time date_in(Row& row, const json& object, const char* key) {
  const auto text = text_in(row, object, key);
  return row.date(key, text == "None" ? std::string_view() : text);
}

void fill_philly_job(Row& row, const json& entry) {
  auto& traced = row.job;
  traced.job.user = text_in(row, entry, "user");
  traced.job.group = text_in(row, entry, "vc");
  traced.job.submitted = date_in(row, entry, "submitted_time");
  const auto& attempts = member(entry, "attempts");
  if (!attempts.is_array() || attempts.empty())
    return row.leave_out("attempts: none, the job never ran");
  Duration run{};
  std::uint32_t gpus = 0;
  for (const auto& attempt : attempts) {
    const Time start = date_in(row, attempt, "start_time");
    run += date_in(row, attempt, "end_time") - start;
    gpus = std::max(gpus, gpus_of(attempt));
  }
  traced.actual = row.duration("attempts", seconds(run), kSecond);
  traced.job.gpus = row.gpus("gpus", gpus);
}

Result<Done> read_philly_log(std::string_view text, TraceRows& rows) {
  const auto document = parse_json(text, rows.file());
  if (!document) return document.error();
  if (!document->is_array()) return Error{rows.file() + ": is not a list of jobs"};
  std::deque<std::string> ids;
  rows.expect(document->size());
  for (std::size_t i = 0; i < document->size(); ++i) {
    Row row(rows.open(), i, "jobs");
    ids.push_back(text_in(row, (*document)[i], "jobid"));
    rows.unique(row, "jobid", ids.back());
    row.job.job.name = ids.back();
    fill_philly_job(row, (*document)[i]);
    if (!rows.close(row)) break;
  }
  return Done{};
}

/// About how many lines a text has, going by its beginning, and some to spare: room
/// that is not used costs nothing, growing would move every row.
std::size_t rows_by_sample(std::string_view text) {
  const std::string_view sample = text.substr(0, 1 << 16);
  const auto lines = static_cast<std::size_t>(std::ranges::count(sample, '\n')) + 1;
  if (sample.size() == text.size()) return lines;
  const std::size_t all = lines * (text.size() / sample.size() + 1);
  return all + all / 4;
}

}  // namespace

// The table: timestamp,duration,num_gpus,gpu_time,cluster
Result<Done> read_philly(std::string_view text, TraceRows& rows) {
  rows.dated();
  rows.note("the file states no time zone; times are taken as UTC");
  const auto begin = trim(text.substr(0, 4096));
  if (begin.starts_with('[') || begin.starts_with('{')) return read_philly_log(text, rows);

  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns = table->columns({"timestamp", "duration", "num_gpus", "cluster"});
  if (!columns) return columns.error();
  const auto [timestamp, duration, gpus, cluster] = *columns;
  rows.expect(rows_by_sample(text));
  std::uint64_t number = 0;
  return rows.read_table(*table, [&](Row& row) {
    row.job.job.submitted = row.date("timestamp", table->cell(timestamp));
    row.job.actual = row.duration("duration", table->cell(duration), kSecond);
    row.job.job.gpus = row.gpus("num_gpus", table->cell(gpus));
    row.job.job.group = table->cell(cluster);
    row.job.job.name = std::to_string(++number);
  });
}

}  // namespace penstock
