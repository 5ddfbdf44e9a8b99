#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "report/run_summary.h"

namespace penstock {

enum class Better { lower, higher, neither };

/// One row of the table of measures: summary.json, its `definitions`, the terminal
/// table and docs/formats/output.md all follow it.
template <class Of>
struct SummaryMeasure {
  std::string_view name;  ///< the key in summary.json
  std::string_view unit;  ///< "money" stands for the scenario's currency
  std::optional<double> Of::* value;
  Better better = Better::neither;
  int digits = 0;                 ///< most decimals worth showing a person
  std::string_view definition{};  ///< one sentence
  bool measured = false;          ///< by the wall clock: not the same in every run
};

std::span<const SummaryMeasure<RunSummary>> run_measures();
std::span<const SummaryMeasure<SiteSummary>> site_measures();

/// The row of one field, which must be in the table.
const SummaryMeasure<RunSummary>& measure_of(std::optional<double> RunSummary::* value);

}  // namespace penstock
