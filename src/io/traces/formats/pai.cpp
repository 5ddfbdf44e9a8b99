// The traces of GAIA (Alibaba PAI, Azure, Mustang resampled to a year), all in
// hours: arrival_time,length,cpus. A unit of `cpus` becomes one device.
#include "io/text/csv.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_pai(std::string_view text, TraceRows& rows);

Result<Done> read_pai(std::string_view text, TraceRows& rows) {
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  const auto columns = table->columns({"arrival_time", "length", "cpus"});
  if (!columns) return columns.error();
  const auto [arrival, length, cpus] = *columns;
  std::uint64_t number = 0;
  return rows.read_table(*table, [&](Row& row) {
    row.job.job.submitted = row.offset("arrival_time", table->cell(arrival), kHour);
    row.job.actual = row.duration("length", table->cell(length), kHour);
    row.job.job.gpus = row.gpus("cpus", table->cell(cpus));
    row.job.job.name = std::to_string(++number);
  });
}

}  // namespace penstock
