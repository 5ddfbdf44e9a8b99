// Alibaba 2023 pod lists: name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,
// qos,pod_phase,creation_time,deletion_time,scheduled_time. A pod that shares a
// GPU takes a whole one here and draws its share of the power.
#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_openb(std::string_view text, TraceRows& rows);

namespace {

constexpr double kWholeGpu = 1000;  // gpu_milli

struct Columns {
  std::size_t name = 0, gpus = 0, milli = 0, spec = 0, created = 0, deleted = 0, scheduled = 0;
};

Result<Columns> find_columns(const CsvTable& table) {
  const auto columns = table.columns({"name", "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
                                      "deletion_time", "scheduled_time"});
  if (!columns) return columns.error();
  const auto [name, gpus, milli, spec, created, deleted, scheduled] = *columns;
  return Columns{name, gpus, milli, spec, created, deleted, scheduled};
}

void fill(Row& row, const CsvTable& table, const Columns& at) {
  auto& traced = row.job;
  traced.job.name = table.cell(at.name);
  if (table.cell(at.gpus) == "0") return row.leave_out("num_gpu: 0, a pod without GPUs");
  traced.job.submitted = row.offset("creation_time", table.cell(at.created), kSecond);
  traced.job.gpus = row.gpus("num_gpu", table.cell(at.gpus));
  if (table.cell(at.scheduled).empty())
    return row.leave_out("scheduled_time: none, the pod never ran");
  const double deleted = row.number("deletion_time", table.cell(at.deleted));
  const double scheduled = row.number("scheduled_time", table.cell(at.scheduled));
  traced.actual = row.duration("deletion_time less scheduled_time", deleted - scheduled, kSecond);
  const double milli = row.number("gpu_milli", table.cell(at.milli));
  if (!(milli > 0 && milli <= kWholeGpu))
    row.fail("gpu_milli", "out of range", fmt::format("{} is not between 1 and 1000", milli));
  traced.load = milli / kWholeGpu;
  traced.gpu_spec = table.cell(at.spec);
}

}  // namespace

Result<Done> read_openb(std::string_view text, TraceRows& rows) {
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto at = find_columns(*table);
  if (!at) return at.error();
  while (table->next()) {
    Row row(rows.open(), table->line());
    TraceRows::whole(row, *table);
    rows.unique(row, "name", table->cell(at->name));
    fill(row, *table, *at);
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
