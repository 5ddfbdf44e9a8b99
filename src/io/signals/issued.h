#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/signals/series.h"
#include "model/forecast.h"

namespace penstock {

/// A file of published forecasts: one row per issue and lead, in that order.
struct IssuedSpec {
  std::filesystem::path file{};
  std::string column{};
  std::string unit{};
  std::string issue_column = "issue_utc";
  std::string lead_column = "lead_h";  ///< hours from the issue to the start of the step
  Measure measure = Measure::ratio;
};

/// The forecasts of one file, in order of publication, in the measure's own unit.
struct IssuedSeries {
  struct Issue {
    Time issued{};
    std::vector<Series::Point> points{};
    Time end{};
  };
  std::vector<Issue> issues{};
  std::string currency{};
};

/// Reads a table with a head; `.gz` too. The error holds one line per problem.
Result<IssuedSeries> read_issued(const IssuedSpec& spec);

/// Reads forecasts from text; `spec.file` is only for messages.
Result<IssuedSeries> parse_issued(std::string_view text, const IssuedSpec& spec);

template <class Q>
IssuedForecast<Q> issued_of(const IssuedSeries& series) {
  IssuedForecast<Q> forecast;
  forecast.issues.reserve(series.issues.size());
  for (const auto& issue : series.issues)
    forecast.issues.push_back({.issued = issue.issued,
                               .values = signal_of<Q>({.points = issue.points}),
                               .end = issue.end});
  return forecast;
}

}  // namespace penstock
