#include "io/traces/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text/number.h"

namespace penstock {
namespace {

/// The two digits at `at`, or -1.
int two_digits(std::string_view text, std::size_t at) {
  const int tens = text[at] - '0';
  const int ones = text[at + 1] - '0';
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

}  // namespace

std::optional<Time> parse_date_time(std::string_view text) {
  constexpr std::size_t kLength = std::string_view("2017-10-09 07:01:55").size();
  if (text.size() != kLength || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
      text[16] != ':' || (text[10] != ' ' && text[10] != 'T'))
    return parse_time(text);
  const std::array<int, 7> parts{two_digits(text, 0), two_digits(text, 2),  two_digits(text, 5),
                                 two_digits(text, 8), two_digits(text, 11), two_digits(text, 14),
                                 two_digits(text, 17)};
  for (const int part : parts)
    if (part < 0) return std::nullopt;
  const auto [century, year, month, day, hour, minute, second] = parts;
  const std::chrono::year_month_day date{std::chrono::year(century * 100 + year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 24 || minute > 59 || second > 60) return std::nullopt;
  return Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

namespace {

constexpr double kMostTraceSeconds = 1e10;  // seconds; no trace is longer than 300 years
constexpr double kMostJobGpus = 1e7;

}  // namespace

void Row::fail(std::string_view field, std::string_view reason, std::string what) {
  if (fault_) return;
  fault_ = Fault{std::string(field), std::string(reason), std::move(what)};
}

void Row::leave_out(std::string_view reason) {
  left_out_ = reason;
}

double Row::number(std::string_view field, std::string_view text) {
  const auto value = parse_number<double>(text);
  if (value) return *value;
  fail(field, text.empty() ? "missing" : "not a number", value.error().message);
  return 1;
}

Duration Row::duration(std::string_view field, double value, double unit) {
  if (!(value > 0)) {
    fail(field, "not positive", fmt::format("{} is not positive", value));
  } else if (value * unit > kMostTraceSeconds) {
    fail(field, "not believable", fmt::format("{} is longer than 300 years", value));
  } else {
    return std::max(Duration(1), round_duration(value * unit));
  }
  return Duration(1);
}

Time Row::offset(std::string_view field, double value, double unit) {
  if (value < 0) {
    fail(field, "before the trace begins", fmt::format("{} is before t = 0 (1970)", value));
  } else if (!(value * unit <= kMostTraceSeconds)) {
    fail(field, "not believable", fmt::format("{} is more than 300 years away", value));
  } else {
    return Time(round_duration(value * unit));
  }
  return Time{};
}

Time Row::date(std::string_view field, std::string_view text) {
  if (text.empty()) {
    fail(field, "missing", "is missing");
    return Time{};
  }
  const auto when = parse_date_time(text);
  if (!when) {
    fail(field, "not a date", in_quotes(text) + " is not a date like 2017-10-09 07:01:55");
  } else if (*when < Time{}) {
    fail(field, "before 1970", std::string(text) + " is before 1970");
  }
  return when.value_or(Time{});
}

std::uint32_t Row::gpus(std::string_view field, double value) {
  if (!(value > 0)) {
    fail(field, "not positive", fmt::format("{} is not positive", value));
  } else if (value != std::floor(value)) {
    fail(field, "not whole", fmt::format("{} is not a whole number", value));
  } else if (value > kMostJobGpus) {
    fail(field, "not believable", fmt::format("{} is more than any cluster has", value));
  } else {
    return static_cast<std::uint32_t>(value);
  }
  return 1;
}

Time Row::deadline(std::string_view field, Time when) {
  if (when < job.job.submitted)
    fail(field, "before the submission", "lies before the submission of the job");
  return when;
}

std::string Row::where(const std::string& file) const {
  return list_.empty() ? fmt::format("{}:{}", file, place_)
                       : fmt::format("{}:{}[{}]", file, list_, place_);
}

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
