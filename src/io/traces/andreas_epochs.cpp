// How many epochs trainings needed before they stopped, by ANDREAS's authors: a column for each
// family of applications, a row for each percent of the most epochs.
#include "io/traces/andreas_epochs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "io/text/csv.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr double kAgree = 0.01;  // how far probabilities may be from 1 in all

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return lower;
}

Result<double> probability(const CsvTable& table, std::size_t column) {
  const std::string where = fmt::format("{}: {}", table.where(), table.columns()[column]);
  const auto value = parse_number<double>(table.cell(column));
  if (!value) return Error{value.error()}.in(where);
  if (*value >= 0 && *value <= 1) return *value;
  return Error{fmt::format("{}: {} is not a probability from 0 to 1", where, *value)};
}

/// The probabilities of each column.
Result<std::vector<std::vector<double>>> read_columns(CsvTable& table) {
  std::vector<std::vector<double>> columns(table.columns().size());
  while (table.next()) {
    if (!table.is_whole())
      return Error{fmt::format("{}: row: has {} cells, the head has {}", table.where(),
                               table.cells(), columns.size())};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      auto value = probability(table, i);
      if (!value) return std::move(value).error();
      columns[i].push_back(*value);
    }
  }
  return columns;
}

std::optional<std::size_t> find(std::string_view name, const std::vector<EpochFamily>& families) {
  const auto found = std::ranges::find(families, name, &EpochFamily::name);
  if (found == families.end()) return std::nullopt;
  return static_cast<std::size_t>(found - families.begin());
}

}  // namespace

Result<std::vector<EpochFamily>> parse_epochs(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const auto columns = read_columns(*table);
  if (!columns) return columns.error();
  std::vector<EpochFamily> families;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const std::vector<double>& weights = (*columns)[i];
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::string& name = table->columns()[i];
    if (std::abs(all - 1) > kAgree)
      return Error{
          fmt::format("{}: {}: probabilities add up to {:.6g}, not to 1", file, name, all)};
    families.push_back({name, Survival::spread(weights, 1)});
  }
  return families;
}

Result<std::size_t> family_of(std::string_view application,
                              const std::vector<EpochFamily>& families) {
  std::string name = lower_case(application);
  if (const auto at = name.find("mobilenet"); at != std::string::npos)
    name.replace(at, 9, "mobilnet");  // as the published file spells it
  const bool tensorflow = name.starts_with("tf") || name.starts_with("tensorflow");
  const std::string framework = tensorflow ? "TF" : "PY";
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string& family = families[i].name;
    if (family.starts_with(framework + "_") && family.size() > 3 &&
        name.find(lower_case(std::string_view(family).substr(3))) != std::string::npos)
      return i;
  }
  for (const std::string& general : {framework, std::string("PY")})
    if (const auto place = find(general, families)) return *place;
  std::vector<std::string_view> names;
  names.reserve(families.size());
  for (const EpochFamily& family : families) names.push_back(family.name);
  return Error{
      fmt::format("has no family for '{}'; there are: {}", application, fmt::join(names, " "))};
}

}  // namespace penstock
