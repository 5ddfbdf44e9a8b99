// Pollux workloads: name,time,application,num_replicas,batch_size. The file has
// no run times: they are those of a whole training, derived from the artefact's
// measurements (see pollux_table.cpp).
#include <fmt/format.h>

#include <bit>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "io/traces/formats/pollux_table.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_pollux(std::string_view text, TraceRows& rows);

namespace {

/// The entry for this application and size, or why there is none.
const PolluxRunTimes* find_entry(Row& row, std::string_view application, std::uint32_t gpus) {
  std::string applications;
  bool known = false;
  for (const auto& entry : pollux_run_times()) {
    if (entry.application == application && entry.gpus == gpus) return &entry;
    known = known || entry.application == application;
    if (entry.gpus == 1) applications += " " + std::string(entry.application);
  }
  if (known) {
    row.fail(
        "num_replicas", "not measured",
        fmt::format("{} GPUs were not measured; 1 to 16, 20, 24, 28, 32, 40, 48, 56 and 64 were",
                    gpus));
  } else {
    row.fail("application", "unknown",
             in_quotes(application) + " is unknown; there are:" + applications);
  }
  return nullptr;
}

Duration pollux_run_time(Row& row, std::string_view application, std::uint32_t gpus, double batch) {
  const auto* entry = find_entry(row, application, gpus);
  if (entry == nullptr) return Duration(1);
  double measured = entry->smallest_batch;
  for (const double time : entry->seconds) {
    if (time > 0 && batch == measured) return row.duration("run time", time, kSecond);
    measured *= 2;
  }
  row.fail("batch_size", "not measured",
           fmt::format("{} was not measured for {}; {} times 1, 2, 4 … were", batch, application,
                       entry->smallest_batch));
  return Duration(1);
}

}  // namespace

Result<Done> read_pollux(std::string_view text, TraceRows& rows) {
  rows.note("run times are derived: a whole training on T4 GPUs, from the Pollux profiles");
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns =
      table->columns({"name", "time", "application", "num_replicas", "batch_size"});
  if (!columns) return columns.error();
  const auto [name, time, application, replicas, batch] = *columns;
  return rows.read_table(*table, [&](Row& row) {
    rows.unique(row, "name", table->cell(name));
    row.job.job.name = table->cell(name);
    row.job.job.kind = table->cell(application);
    row.job.job.submitted = row.offset("time", table->cell(time), kSecond);
    row.job.job.gpus = row.gpus("num_replicas", table->cell(replicas));
    row.job.job.batch = row.number("batch_size", table->cell(batch));
    row.job.actual =
        pollux_run_time(row, table->cell(application), row.job.job.gpus, row.job.job.batch);
  });
}

}  // namespace penstock
