// Our own table, the one write_csv() writes. Only submitted, gpus and actual_s
// must be there; the other columns default to what TracedJob defaults to.
#include "io/text/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "io/text/nearest.h"
#include "io/text/number.h"
#include "io/traces/rows.h"
#include "io/traces/write.h"

namespace penstock {

Result<Done> read_csv(std::string_view text, TraceRows& rows);

namespace {

/// One row of the table, by column; an absent column is an empty cell.
class TraceCells {
 public:
  static Result<TraceCells> open(const CsvTable& table) {
    TraceCells cells(table);
    for (const auto& name : table.columns()) {
      const auto at = std::ranges::find(kCsvColumns, name);
      if (at == kCsvColumns.end())
        return Error{table.file() + ": unknown column '" + name + "'" +
                     did_you_mean(name, kCsvColumns)};
      cells.place_[static_cast<std::size_t>(at - kCsvColumns.begin())] = table.find(name);
    }
    return cells;
  }
  std::string_view operator[](CsvColumn column) const {
    const auto place = place_[static_cast<std::size_t>(column)];
    return place ? table_->cell(*place) : std::string_view{};
  }
  std::string text(CsvColumn column) const {
    const auto place = place_[static_cast<std::size_t>(column)];
    return place ? unescape(table_->raw(*place)) : std::string{};
  }

 private:
  explicit TraceCells(const CsvTable& table) : table_(&table) {}
  const CsvTable* table_;
  std::array<std::optional<std::size_t>, kCsvColumns.size()> place_{};
};

using JobPlaces = std::unordered_map<std::string_view, std::uint32_t>;

void fill_parents(Row& row, std::string_view list, const JobPlaces& places) {
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    const auto id = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (id.empty()) continue;
    const auto at = places.find(id);
    if (at == places.end()) {
      row.fail("parents", "unknown", "no row above is job " + in_quotes(id));
      return;
    }
    row.job.job.parents.push_back(JobId{at->second});
  }
  auto& all = row.job.job.parents;
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

void fill_times(Row& row, const TraceCells& cells) {
  using enum CsvColumn;
  auto& traced = row.job;
  traced.job.submitted = row.date("submitted", cells[submitted]);
  traced.job.gpus = row.gpus("gpus", cells[gpus]);
  traced.actual = row.duration("actual_s", cells[actual_s], kSecond);
  if (!cells[requested_s].empty())
    traced.job.requested = row.duration("requested_s", cells[requested_s], kSecond);
  if (!cells[deadline].empty())
    traced.job.deadline = row.deadline("deadline", row.date("deadline", cells[deadline]));
}

void fill_rest(Row& row, const TraceCells& cells) {
  using enum CsvColumn;
  auto& traced = row.job;
  if (!cells[priority].empty()) traced.job.priority = row.number("priority", cells[priority]);
  if (!cells[tardiness_per_s].empty()) {
    const double weight = row.number("tardiness_per_s", cells[tardiness_per_s]);
    if (weight < 0) row.fail("tardiness_per_s", "negative", fmt::format("{} is negative", weight));
    traced.job.tardiness_weight = MoneyRate(weight);
  }
  if (!cells[load].empty()) {
    traced.load = row.number("load", cells[load]);
    if (traced.load < 0 || traced.load > 1)
      row.fail("load", "out of range", fmt::format("{} is not between 0 and 1", traced.load));
  }
  if (!cells[batch].empty()) {
    traced.job.batch = row.number("batch", cells[batch]);
    if (traced.job.batch < 0)
      row.fail("batch", "negative", fmt::format("{} is negative", traced.job.batch));
  }
  traced.job.name = cells.text(name);
  traced.job.user = cells.text(user);
  traced.job.group = cells.text(group);
  traced.job.kind = cells.text(kind);
  traced.gpu_spec = cells.text(gpu_spec);
}

}  // namespace

Result<Done> read_csv(std::string_view text, TraceRows& rows) {
  rows.dated();
  auto table = CsvTable::open(text, rows.file());
  if (!table) return std::move(table).error();
  if (const auto required = table->columns({"submitted", "gpus", "actual_s"}); !required)
    return required.error();
  const auto cells = TraceCells::open(*table);
  if (!cells) return cells.error();
  const bool has_ids = table->find("job").has_value();
  JobPlaces places;
  std::uint32_t number = 0;
  while (table->next()) {
    Row row(rows.open(), table->line());
    TraceRows::whole(row, *table);
    const auto id = (*cells)[CsvColumn::job];
    if (has_ids) rows.unique(row, "job", id);
    fill_times(row, *cells);
    fill_rest(row, *cells);
    fill_parents(row, (*cells)[CsvColumn::parents], places);
    if (has_ids) places.emplace(id, number);
    ++number;
    if (!rows.close_or_gap(row)) break;
  }
  return Done{};
}

}  // namespace penstock
