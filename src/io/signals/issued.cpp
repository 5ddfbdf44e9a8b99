#include "io/signals/issued.h"

#include <fmt/format.h>

#include "io/signals/series.h"
#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr double kLongestLeadHours = 24 * 366;

struct IssuedColumns {
  std::size_t issue = 0;
  std::size_t lead = 0;
  std::size_t value = 0;
};

/// Reads the rows one by one and keeps the problems it meets.
class IssueReader {
 public:
  IssueReader(CsvTable& table, IssuedColumns columns, Unit unit)
      : table_(table), columns_(columns), unit_(std::move(unit)) {}

  void read() {
    while (!problems_.is_full() && table_.next()) read_row();
    for (auto& issue : issues_) close(issue);
  }
  std::vector<IssuedSeries::Issue> take() { return std::move(issues_); }
  const FirstProblems& problems() const { return problems_; }

 private:
  void refuse(std::size_t column, const std::string& what) {
    problems_.add(fmt::format("{}: {}: {}", table_.where(), table_.columns()[column], what));
  }

  void read_row() {
    const auto issued = parse_time(table_.cell(columns_.issue));
    if (!issued || *issued < Time{})
      return refuse(columns_.issue, in_quotes(table_.cell(columns_.issue)) +
                                        " is not a time such as 2022-03-01T00:00Z");
    const auto lead = parse_number<double>(table_.cell(columns_.lead));
    if (!lead) return refuse(columns_.lead, lead.error().message);
    if (*lead < 0 || *lead > kLongestLeadHours)
      return refuse(columns_.lead, fmt::format("{} h is not between 0 h and a year", *lead));
    const auto value = parse_number<double>(table_.cell(columns_.value));
    if (!value) return refuse(columns_.value, value.error().message);
    add(*issued, *issued + round_duration(*lead * 3600), *value * unit_.factor + unit_.offset);
  }

  void add(Time issued, Time from, double value) {
    if (issues_.empty() || issued > issues_.back().issued) issues_.push_back({.issued = issued});
    auto& issue = issues_.back();
    if (issued < issue.issued)
      return refuse(columns_.issue, format_time(issued) + " is out of order: the row before is " +
                                        format_time(issue.issued));
    if (!issue.points.empty() && from <= issue.points.back().from)
      return refuse(columns_.lead, "does not grow within one issue");
    issue.points.push_back({from, value});
  }

  /// The last step is as long as the one before it; an only one lasts an hour.
  static void close(IssuedSeries::Issue& issue) {
    const auto& points = issue.points;
    const Duration step = points.size() < 2 ? Duration(std::chrono::hours(1))
                                            : points.back().from - points[points.size() - 2].from;
    issue.end = points.empty() ? issue.issued : points.back().from + step;
  }

  CsvTable& table_;
  IssuedColumns columns_;
  Unit unit_;
  std::vector<IssuedSeries::Issue> issues_;
  FirstProblems problems_;
};

}  // namespace

Result<IssuedSeries> parse_issued(std::string_view text, const IssuedSpec& spec) {
  const auto unit = parse_unit(spec.unit, spec.measure);
  if (!unit) return unit.error();
  auto table = CsvTable::open(text, spec.file.string());
  if (!table) return table.error();
  const auto issue = table->column(spec.issue_column);
  if (!issue) return issue.error();
  const auto lead = table->column(spec.lead_column);
  if (!lead) return lead.error();
  const auto value = table->column(spec.column);
  if (!value) return value.error();

  IssueReader reader(*table, {.issue = *issue, .lead = *lead, .value = *value}, *unit);
  reader.read();
  if (!reader.problems().empty()) return reader.problems().as_error();
  IssuedSeries series{.issues = reader.take(), .currency = unit->currency};
  if (series.issues.empty())
    return Error{fmt::format("{}: {}: has no values", spec.file.string(), spec.column)};
  return series;
}

Result<IssuedSeries> read_issued(const IssuedSpec& spec) {
  const auto text = read_file(spec.file);
  if (!text) return text.error();
  return parse_issued(*text, spec);
}

}  // namespace penstock
