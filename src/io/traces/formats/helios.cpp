// SenseTime Helios cluster_log.csv:
// job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_helios(std::string_view text, TraceRows& rows);

Result<Done> read_helios(std::string_view text, TraceRows& rows) {
  rows.dated();
  rows.note("the file states no time zone; times are taken as UTC");
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns =
      table->columns({"job_id", "user", "vc", "gpu_num", "submit_time", "duration"});
  if (!columns) return columns.error();
  const auto [id, user, cluster, gpus, submit, duration] = *columns;
  return rows.read_table(*table, [&](Row& row) {
    rows.unique(row, "job_id", table->cell(id));
    row.job.job.name = table->cell(id);
    row.job.job.user = table->cell(user);
    row.job.job.group = table->cell(cluster);
    row.job.job.submitted = row.date("submit_time", table->cell(submit));
    if (table->cell(gpus) == "0") {
      row.leave_out("gpu_num: 0, a job without GPUs");
    } else {
      row.job.job.gpus = row.gpus("gpu_num", table->cell(gpus));
      row.job.actual = row.duration("duration", table->cell(duration), kSecond);
    }
  });
}

}  // namespace penstock
