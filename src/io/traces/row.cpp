#include "io/traces/row.h"

#include <fmt/format.h>

#include <cmath>

#include "io/text/number.h"
#include "io/traces/calendar.h"

namespace penstock {
namespace {

constexpr double kLongest = 1e10;  // seconds; no trace is longer than 300 years
constexpr double kMostGpus = 1e7;

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
  } else if (value * unit > kLongest) {
    fail(field, "not believable", fmt::format("{} is longer than 300 years", value));
  } else {
    return std::max(Duration(1), round_duration(value * unit));
  }
  return Duration(1);
}

Time Row::offset(std::string_view field, double value, double unit) {
  if (value < 0) {
    fail(field, "before the trace begins", fmt::format("{} is before t = 0 (1970)", value));
  } else if (!(value * unit <= kLongest)) {
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
  } else if (value > kMostGpus) {
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

}  // namespace penstock
