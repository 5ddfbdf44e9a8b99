// The original Philly cluster_job_log: a list of {status, vc, jobid, attempts
// [{start_time, end_time, detail [{ip, gpus [..]}]}], submitted_time, user}. A
// job's run time is that of all its attempts, its size that of the largest.
#include <deque>

#include "io/traces/json.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_philly_log(std::string_view text, TraceRows& rows);

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

void fill(Row& row, const json& entry) {
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

}  // namespace

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
    fill(row, (*document)[i]);
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
