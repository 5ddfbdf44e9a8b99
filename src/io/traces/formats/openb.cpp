// Alibaba 2023 pod lists: name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,
// qos,pod_phase,creation_time,deletion_time,scheduled_time. A pod that shares a
// GPU takes a whole one here and draws its share of the power.
#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_openb(std::string_view text, TraceRows& rows);

Result<Done> read_openb(std::string_view text, TraceRows& rows) {
  constexpr double kWholeGpu = 1000;  // gpu_milli
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns = table->columns({"name", "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
                                       "deletion_time", "scheduled_time"});
  if (!columns) return columns.error();
  const auto [name, gpus, milli, spec, created, deleted, scheduled] = *columns;
  return rows.read_table(*table, [&](Row& row) {
    rows.unique(row, "name", table->cell(name));
    Job& job = row.job.job;
    job.name = table->cell(name);
    if (table->cell(gpus) == "0") return row.leave_out("num_gpu: 0, a pod without GPUs");
    job.submitted = row.offset("creation_time", table->cell(created), kSecond);
    job.gpus = row.gpus("num_gpu", table->cell(gpus));
    if (table->cell(scheduled).empty())
      return row.leave_out("scheduled_time: none, the pod never ran");
    const double end = row.number("deletion_time", table->cell(deleted));
    const double begin = row.number("scheduled_time", table->cell(scheduled));
    row.job.actual = row.duration("deletion_time less scheduled_time", end - begin, kSecond);
    const double share = row.number("gpu_milli", table->cell(milli));
    if (!(share > 0 && share <= kWholeGpu))
      row.fail("gpu_milli", "out of range", fmt::format("{} is not between 1 and 1000", share));
    row.job.load = share / kWholeGpu;
    row.job.gpu_spec = table->cell(spec);
  });
}

}  // namespace penstock
