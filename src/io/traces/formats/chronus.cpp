// Chronus traces, all times in minutes: job_id,user,num_gpu,submit_time,
// iterations,model_name,duration,interval,expect_time_list,expect_value_list,
// best_effort,job_type. `user` is Philly's virtual cluster. `expect_time_list`
// holds times since the submission, joined by '-'; the first is the deadline.
#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_chronus(std::string_view text, TraceRows& rows);

Result<Done> read_chronus(std::string_view text, TraceRows& rows) {
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns = table->columns({"job_id", "user", "num_gpu", "submit_time", "model_name",
                                       "duration", "expect_time_list", "best_effort"});
  if (!columns) return columns.error();
  const auto [id, user, gpus, submit, model, duration, expected, best_effort] = *columns;
  return rows.read_table(*table, [&](Row& row) {
    rows.unique(row, "job_id", table->cell(id));
    Job& job = row.job.job;
    job.name = table->cell(id);
    job.group = table->cell(user);
    job.kind = table->cell(model);
    job.gpus = row.gpus("num_gpu", table->cell(gpus));
    job.submitted = row.offset("submit_time", table->cell(submit), kMinute);
    row.job.actual = row.duration("duration", table->cell(duration), kMinute);
    const auto times = table->cell(expected);
    if (table->cell(best_effort) == "1" || times.empty()) return;
    const auto first = times.substr(0, times.find('-', 1));
    job.deadline = job.submitted + row.duration("expect_time_list", first, kMinute);
  });
}

}  // namespace penstock
