#include "report/files/csv_line.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace penstock {
namespace {

void append_count(std::string& out, std::uint64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

// Quicker than find_first_of(), which searches a set for every letter.
constexpr bool needs_quotes(char c) {
  return c == ',' || c == '"' || c == '\r' || c == '\n';
}

void append_quoted(std::string& out, std::string_view value) {
  out += '"';
  for (const char c : value) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void append_seconds(std::string& out, Duration value) {
  std::int64_t ms = value.count();
  if (ms < 0) {
    out += '-';
    ms = -ms;
  }
  append_count(out, static_cast<std::uint64_t>(ms / 1000));
  const auto rest = static_cast<int>(ms % 1000);
  if (rest == 0) return;
  const auto digit = [](int d) { return static_cast<char>('0' + d); };
  out += '.';
  out += digit(rest / 100);
  out += digit(rest / 10 % 10);
  out += digit(rest % 10);
}

void CsvLine::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void CsvLine::text(std::string_view value) {
  separate();
  if (std::ranges::none_of(value, needs_quotes))
    out_ += value;
  else
    append_quoted(out_, value);
}

void CsvLine::count(std::uint64_t value) {
  separate();
  append_count(out_, value);
}

void CsvLine::number(std::optional<double> value) {
  separate();
  if (!value || !std::isfinite(*value)) return;
  std::array<char, 32> digits{};
  const char* end = fmt::format_to(digits.data(), FMT_COMPILE("{}"), *value);
  out_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void CsvLine::time(std::optional<Duration> value) {
  separate();
  if (value) append_seconds(out_, *value);
}

void CsvLine::gpus(const Placement& where) {
  separate();
  const std::size_t begin = out_.size();
  for (std::size_t i = 0; i < where.size();) {
    const std::uint32_t first = where[i].first.index;
    std::uint32_t end = first + where[i].count;
    for (++i; i < where.size() && where[i].first.index == end; ++i) end += where[i].count;
    if (out_.size() > begin) out_ += ' ';
    append_count(out_, first);
    if (end - first == 1) continue;
    out_ += '-';
    append_count(out_, end - 1);
  }
}

}  // namespace penstock
