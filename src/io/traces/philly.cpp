// The flattened Philly trace of the Pollux and ElasticFlow artefacts:
// timestamp,duration,num_gpus,gpu_time,cluster
#include <algorithm>
#include <charconv>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_philly(std::string_view text, TraceRows& rows);
Result<Done> read_philly_log(std::string_view text, TraceRows& rows);

namespace {

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
  while (table->next()) {
    Row row(rows.open(), table->line());
    TraceRows::whole(row, *table);
    row.job.job.submitted = row.date("timestamp", table->cell(timestamp));
    row.job.actual = row.duration("duration", table->cell(duration), kSecond);
    row.job.job.gpus = row.gpus("num_gpus", table->cell(gpus));
    row.job.job.group = table->cell(cluster);
    row.job.job.name = std::to_string(++number);
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
