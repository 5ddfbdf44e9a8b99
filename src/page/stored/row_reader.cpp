#include "page/stored/row_reader.h"

#include <charconv>
#include <cmath>

#include "io/text/number.h"

namespace penstock {
namespace {

/// Beyond it milliseconds might overflow: 290 000 years.
constexpr std::int64_t kMostSeconds = 9'000'000'000'000;

/// The milliseconds of a fraction of at most three digits.
std::optional<std::int64_t> fraction(std::string_view digits) {
  if (digits.empty() || digits.size() > 3) return std::nullopt;
  std::int64_t ms = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    ms = 10 * ms + (c - '0');
  }
  for (std::size_t i = digits.size(); i < 3; ++i) ms *= 10;
  return ms;
}

}  // namespace

std::optional<Duration> parse_seconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc{} || whole < 0 || whole > kMostSeconds || text.starts_with('-'))
    return std::nullopt;
  std::int64_t ms = whole * 1000;
  if (stop != end) {
    if (*stop != '.') return std::nullopt;
    const auto rest = fraction({stop + 1, static_cast<std::size_t>(end - stop - 1)});
    if (!rest) return std::nullopt;
    ms += *rest;
  }
  return Duration(negative ? -ms : ms);
}

std::size_t RowReader::need(std::string_view name) {
  auto place = rows_.column(name);
  if (place) return *place;
  if (!problem_) problem_ = std::move(place).error();
  return 0;
}

bool RowReader::next() {
  if (problem_) return false;
  auto more = rows_.next();
  if (more) return *more;
  problem_ = std::move(more).error();
  return false;
}

void RowReader::refuse(std::size_t column, std::string_view what) {
  if (!problem_) problem_ = rows_.problem(column, what);
}

std::uint32_t RowReader::count(std::size_t column) {
  const std::string_view text = rows_.cell(column);
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) refuse(column, in_quotes(text) + " is not a count");
  return value;
}

Duration RowReader::time(std::size_t column) {
  const auto value = parse_seconds(rows_.cell(column));
  if (!value)
    refuse(column, in_quotes(rows_.cell(column)) + " is not a time in seconds such as '0.250'");
  return value.value_or(Duration::zero());
}

std::optional<Duration> RowReader::maybe_time(MaybeColumn column) {
  if (!column || rows_.cell(*column).empty()) return std::nullopt;
  return time(*column);
}

float RowReader::number(MaybeColumn column) {
  if (!column || rows_.cell(*column).empty()) return kUndefined;
  const std::string_view text = rows_.cell(*column);
  double value = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && std::isfinite(value)) return static_cast<float>(value);
  refuse(*column, in_quotes(text) + " is not a number");
  return kUndefined;
}

}  // namespace penstock
