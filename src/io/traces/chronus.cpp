// Chronus traces, all times in minutes: job_id,user,num_gpu,submit_time,
// iterations,model_name,duration,interval,expect_time_list,expect_value_list,
// best_effort,job_type. `user` is Philly's virtual cluster. `expect_time_list`
// holds times since the submission, joined by '-'; the first is the deadline.
#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_chronus(std::string_view text, TraceRows& rows);

namespace {

struct Columns {
  std::size_t id = 0, user = 0, gpus = 0, submit = 0, model = 0, duration = 0, expected = 0,
              best_effort = 0;
};

Result<Columns> find_columns(const CsvTable& table) {
  const auto columns = table.columns({"job_id", "user", "num_gpu", "submit_time", "model_name",
                                      "duration", "expect_time_list", "best_effort"});
  if (!columns) return columns.error();
  const auto [id, user, gpus, submit, model, duration, expected, best_effort] = *columns;
  return Columns{id, user, gpus, submit, model, duration, expected, best_effort};
}

void fill(Row& row, const CsvTable& table, const Columns& at) {
  auto& traced = row.job;
  traced.job.name = table.cell(at.id);
  traced.job.group = table.cell(at.user);
  traced.job.kind = table.cell(at.model);
  traced.job.gpus = row.gpus("num_gpu", table.cell(at.gpus));
  traced.job.submitted = row.offset("submit_time", table.cell(at.submit), kMinute);
  traced.actual = row.duration("duration", table.cell(at.duration), kMinute);
  const auto expected = table.cell(at.expected);
  if (table.cell(at.best_effort) == "1" || expected.empty()) return;
  const auto first = expected.substr(0, expected.find('-', 1));
  traced.job.deadline = traced.job.submitted + row.duration("expect_time_list", first, kMinute);
}

}  // namespace

Result<Done> read_chronus(std::string_view text, TraceRows& rows) {
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto at = find_columns(*table);
  if (!at) return at.error();
  while (table->next()) {
    Row row(rows.open(), table->line());
    TraceRows::whole(row, *table);
    rows.unique(row, "job_id", table->cell(at->id));
    fill(row, *table, *at);
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
