// ElasticFlow traces: job_id,submit_time,…,model_name,ddl,…,num_gpu,…,duration,…
// `ddl` is counted from t = 0 like `submit_time`; all in seconds.
#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_elasticflow(std::string_view text, TraceRows& rows);

Result<Done> read_elasticflow(std::string_view text, TraceRows& rows) {
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto batch = table->find("batch_size");
  const auto columns =
      table->columns({"job_id", "submit_time", "model_name", "ddl", "num_gpu", "duration"});
  if (!columns) return columns.error();
  const auto [id, submit, model, deadline, gpus, duration] = *columns;
  return rows.read_table(*table, [&](Row& row) {
    rows.unique(row, "job_id", table->cell(id));
    row.job.job.name = table->cell(id);
    row.job.job.kind = table->cell(model);
    row.job.job.submitted = row.offset("submit_time", table->cell(submit), kSecond);
    row.job.job.gpus = row.gpus("num_gpu", table->cell(gpus));
    if (batch) row.job.job.batch = row.number("batch_size", table->cell(*batch));
    row.job.actual = row.duration("duration", table->cell(duration), kSecond);
    if (const auto due = table->cell(deadline); !due.empty())
      row.job.job.deadline = row.deadline("ddl", row.offset("ddl", due, kSecond));
  });
}

}  // namespace penstock
