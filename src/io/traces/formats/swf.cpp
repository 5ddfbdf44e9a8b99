// Standard Workload Format 2.2: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/text/lines.h"
#include "io/text/number.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_swf(std::string_view text, TraceRows& rows);

namespace {

constexpr std::size_t kSwfFields = 18;
using SwfFields = std::array<std::string_view, kSwfFields>;
/// Places of the fields we use, by the standard's numbers less one.
struct SwfField {
  enum : std::size_t {
    job = 0,
    submit,
    run = 3,
    processors,
    asked_processors = 7,
    asked_time,
    user = 11,
    group,
    executable
  };
};

/// Splits at blanks; the number of fields found, which may be too many.
std::size_t split_fields(std::string_view line, SwfFields& fields) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return count;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (count < kSwfFields) fields[count] = line.substr(begin, at - begin);
    ++count;
  }
}

/// -1 is the format's word for unknown.
std::string known_or_empty(std::string_view text) {
  return text == "-1" ? std::string() : std::string(text);
}

void fill_swf(Row& row, const SwfFields& fields, Duration start) {
  auto& traced = row.job;
  traced.job.name = fields[SwfField::job];
  traced.job.submitted = row.offset("submit time", fields[SwfField::submit], kSecond) + start;
  traced.actual = row.duration("run time", fields[SwfField::run], kSecond);
  const double given = row.number("allocated processors", fields[SwfField::processors]);
  const double asked = row.number("requested processors", fields[SwfField::asked_processors]);
  traced.job.gpus = row.gpus("processors", std::max(given, asked));
  const double time = row.number("requested time", fields[SwfField::asked_time]);
  if (time > 0) traced.job.requested = row.duration("requested time", time, kSecond);
  traced.job.user = known_or_empty(fields[SwfField::user]);
  traced.job.group = known_or_empty(fields[SwfField::group]);
  traced.job.kind = known_or_empty(fields[SwfField::executable]);
}

/// The head's "; UnixStartTime: 1664575200", if this line is it.
Result<Duration> unix_start_time(std::string_view line) {
  constexpr std::string_view kStartKey = "UnixStartTime:";
  const auto note = trim(line.substr(1));
  if (!note.starts_with(kStartKey)) return Duration::zero();
  const auto value = parse_number<std::int64_t>(trim(note.substr(kStartKey.size())));
  if (!value) return Error{"UnixStartTime: " + value.error().message};
  if (*value < 0 || *value > 10'000'000'000)
    return Error{fmt::format("UnixStartTime: {} is before 1970 or not believable", *value)};
  return Duration(std::chrono::seconds(*value));
}

}  // namespace

Result<Done> read_swf(std::string_view text, TraceRows& rows) {
  rows.expect(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  Duration start{};
  SwfFields fields;
  LineReader lines(text);
  while (const auto line = lines.next()) {
    const auto content = trim(*line);
    if (content.empty()) continue;
    if (content.front() == ';') {
      const auto given = unix_start_time(content);
      if (!given)
        return Error{fmt::format("{}:{}: {}", rows.file(), lines.number(), given.error().message)};
      start = std::max(start, *given);
      continue;
    }
    Row row(rows.open(), lines.number());
    const std::size_t count = split_fields(content, fields);
    if (count != kSwfFields) {
      row.fail("row", "wrong number of fields", fmt::format("has {} fields instead of 18", count));
    } else {
      rows.unique(row, "job number", fields[SwfField::job]);
      fill_swf(row, fields, start);
    }
    if (!rows.close(row)) break;
  }
  if (start > Duration::zero()) rows.dated();
  return Done{};
}

}  // namespace penstock
