#include "io/traces/rows.h"

#include <algorithm>

namespace penstock {

void count_dropped(std::vector<DroppedRows>& dropped, const std::string& reason,
                   const std::string& example) {
  constexpr std::size_t kExamples = 3;
  auto at = std::ranges::find(dropped, reason, &DroppedRows::reason);
  if (at == dropped.end()) at = dropped.insert(at, DroppedRows{.reason = reason});
  ++at->count;
  if (at->examples.size() < kExamples && !example.empty()) at->examples.push_back(example);
}

bool TraceRows::count(const Row& row) {
  ++report_.rows_read;
  if (row.is_good()) return true;
  const auto where = row.where(file());
  const auto& fault = row.fault();
  if (!fault) {
    count_dropped(report_.left_out, row.left_out(), where);
    return true;
  }
  const auto message = where + ": " + fault->field + ": " + fault->what;
  count_dropped(report_.bad, fault->field + ": " + fault->reason, message);
  if (strict_ && !first_bad_) first_bad_ = Error{message};
  return !strict_;
}

bool TraceRows::close(const Row& row) {
  if (!row.is_good()) jobs_.pop_back();
  return count(row);
}

bool TraceRows::close_or_gap(const Row& row) {
  if (!row.is_good()) {
    gaps_.resize(jobs_.size(), false);
    gaps_.back() = true;
  }
  has_parents_ = has_parents_ || !row.job.job.parents.empty();
  return count(row);
}

void TraceRows::unique(Row& row, std::string_view field, std::string_view id) {
  if (id.empty()) {
    row.fail(field, "missing", "is missing");
  } else if (!ids_.insert(id).second) {
    row.fail(field, "duplicated", "'" + std::string(id) + "' was there before");
  }
}

void TraceRows::whole(Row& row, const CsvTable& table) {
  if (table.is_whole()) return;
  row.fail("row", "wrong number of cells",
           "has " + std::to_string(table.cells()) + " cells, the head has " +
               std::to_string(table.columns().size()));
}

void TraceRows::unit(std::string_view unit, std::string_view reason) {
  report_.time_unit = unit;
  report_.time_unit_reason = reason;
}

Result<Done> TraceRows::outcome() const {
  if (first_bad_) return *first_bad_;
  return Done{};
}

}  // namespace penstock
