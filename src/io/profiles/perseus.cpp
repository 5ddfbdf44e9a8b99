// Perseus's stage profiles: seconds and joules of the forward and backward pass of each
// pipeline stage, by locked clock. The file is called MODEL+GPU…: gpt3-175b+a100_sxm_bf16.
// Stages that repeat the numbers of an earlier one are the same measurement.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "io/profiles/formats.h"

namespace penstock {
namespace {

constexpr ValueRange kMhz{1, 1e5};
constexpr ValueRange kJoules{1e-6, 1e9};

bool same(const std::vector<ClockObservation>& a, const std::vector<ClockObservation>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.clock == y.clock && x.seconds == y.seconds && x.draw == y.draw;
  });
}

void add_once(ClockSweep& sweep, std::vector<ClockObservation> series) {
  const bool known =
      std::ranges::any_of(sweep.series, [&](const auto& other) { return same(other, series); });
  if (!known) sweep.series.push_back(std::move(series));
}

/// One row at its clock in MHz, or nothing if it was not measured.
Result<std::optional<ClockObservation>> read_perseus_row(const CsvTable& table,
                                                         const std::array<std::size_t, 5>& at) {
  const auto mhz = cell_number(table, at[2], kMhz);
  if (!mhz) return mhz.error();
  const auto seconds = cell_measured(table, at[3], kSeconds);
  if (!seconds) return seconds.error();
  const auto joules = cell_measured(table, at[4], kJoules);
  if (!joules) return joules.error();
  if (!*seconds || !*joules) return std::optional<ClockObservation>{};
  return std::optional(ClockObservation{*mhz, **seconds, Watts(**joules / **seconds)});
}

}  // namespace

bool knows_perseus(const MeasurementFile& file) {
  return head_is(file, "stage,instruction,frequency");
}

Result<Done> read_perseus(const MeasurementFile& file, CollectedMeasurements& into) {
  const std::size_t plus = file.name.find('+');
  if (plus == std::string::npos)
    return Error{file.path +
                 ": a stage profile says its model and GPU type by its name, such as "
                 "gpt3-175b+a100_sxm_bf16.csv"};
  const std::string gpu =
      lower_case(file.name.substr(plus + 1, file.name.find('_', plus) - plus - 1));
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto columns = table->columns({"stage", "instruction", "frequency", "time", "energy"});
  if (!columns) return columns.error();
  ClockSweep sweep{.model = file.name.substr(0, plus), .gpu = gpu, .source = "Perseus"};
  std::map<std::string, std::vector<ClockObservation>> series;
  while (table->next()) {
    const auto row = read_perseus_row(*table, *columns);
    if (!row) return row.error();
    into.not_measured += *row ? 0 : 1;
    if (!*row) continue;
    sweep.highest_mhz = std::max(sweep.highest_mhz, (*row)->clock);
    series[fmt::format("{} {}", table->cell((*columns)[0]), table->cell((*columns)[1]))].push_back(
        **row);
  }
  for (auto& [name, points] : series) {
    for (ClockObservation& seen : points) seen.clock /= sweep.highest_mhz;
    add_once(sweep, std::move(points));
  }
  if (!sweep.series.empty()) into.measurements.clocks.push_back(std::move(sweep));
  return Done{};
}

}  // namespace penstock
