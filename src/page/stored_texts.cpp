#include "page/stored_texts.h"

#include <limits>

#include "io/text/number.h"
#include "page/row_reader.h"

namespace penstock {
namespace {

using Words = std::vector<std::string>;

/// All rows as they are, a list for each column.
Result<std::vector<CurveColumn>> read_words(std::string& text, const std::string& file) {
  auto rows = CsvRows::open(text, file);
  if (!rows) return std::move(rows).error();
  std::vector<CurveColumn> columns;
  for (const std::string& name : rows->columns()) columns.push_back({name, Words{}});
  while (true) {
    const auto more = rows->next();
    if (!more) return more.error();
    if (!*more) return columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::get<Words>(columns[i].values).emplace_back(rows->cell(i));
  }
}

/// The words as numbers; nothing if one of them is none.
std::optional<std::vector<double>> as_numbers(const Words& words) {
  std::vector<double> numbers;
  for (const std::string& word : words) {
    if (word.empty()) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto number = parse_number<double>(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

Result<std::vector<StoredReason>> parse_reasons(std::string& text, const std::string& file) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  RowReader rows(*opened);
  const std::size_t time = rows.need("time_s");
  const std::size_t reason = rows.need("reason");
  std::vector<StoredReason> reasons;
  while (rows.next()) reasons.push_back({rows.time(time), rows.text(reason)});
  if (rows.problem()) return *rows.problem();
  return reasons;
}

Result<std::vector<CurveColumn>> parse_curve(std::string& text, const std::string& file) {
  auto columns = read_words(text, file);
  if (!columns) return columns;
  for (CurveColumn& column : *columns)
    if (auto numbers = as_numbers(std::get<Words>(column.values)))
      column.values = *std::move(numbers);
  return columns;
}

Result<StoredSweep> parse_sweep(std::string& text, const std::string& file) {
  auto rows = CsvRows::open(text, file);
  if (!rows) return std::move(rows).error();
  const auto policy = rows->column("policy");
  if (!policy) return policy.error();
  const auto seed = rows->column("seed");
  if (!seed) return seed.error();
  StoredSweep sweep;
  for (std::size_t i = *policy + 1; i <= *seed; ++i) sweep.keys.push_back(rows->columns()[i]);
  while (true) {
    const auto more = rows->next();
    if (!more) return more.error();
    if (!*more) return sweep;
    auto& point = sweep.points.emplace_back();
    for (std::size_t i = *policy + 1; i <= *seed; ++i) point.emplace_back(rows->cell(i));
  }
}

}  // namespace penstock
