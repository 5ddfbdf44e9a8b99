#include "page/stored_stretches.h"

#include <algorithm>
#include <charconv>

#include "io/text/number.h"
#include "page/row_reader.h"

namespace penstock {
namespace {

/// The next whole number of `text`, which loses it; nothing if it does not begin with one.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

/// Appends the ranges of "0-3 7"; false if it is no such set.
bool read_ranges(std::string_view text, std::vector<GpuRange>& ranges) {
  while (true) {
    const auto first = take_number(text);
    if (!first) return false;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    constexpr std::uint32_t kMostGpus = 1u << 30;
    if (!last || *last < *first || *last >= kMostGpus) return false;
    ranges.push_back({GpuId{*first}, *last - *first + 1});
    if (text.empty()) return true;
    if (text.front() != ' ') return false;
    text.remove_prefix(1);
  }
}

class StretchReader {
 public:
  explicit StretchReader(CsvRows& file)
      : rows_(file),
        job_(rows_.need("job_id")),
        from_(rows_.need("from_s")),
        to_(rows_.need("to_s")),
        gpus_(rows_.need("allocated_resources")),
        clock_(rows_.need("clock_mhz")),
        end_(rows_.need("ended_by")) {}

  Result<StoredStretches> read() {
    StoredStretches all;
    while (rows_.next()) add(all);
    if (rows_.problem()) return *rows_.problem();
    return all;
  }

 private:
  void add(StoredStretches& all) {
    StoredStretch& row = all.rows.emplace_back();
    row.job = rows_.text(job_);
    row.from = rows_.time(from_);
    row.to = rows_.time(to_);
    if (row.to <= row.from) rows_.refuse(to_, "is not after from_s");
    row.first_range = static_cast<std::uint32_t>(all.ranges.size());
    if (!read_ranges(rows_.text(gpus_), all.ranges))
      rows_.refuse(gpus_, in_quotes(rows_.text(gpus_)) + " is not a set of GPUs such as '0-3 7'");
    row.ranges = static_cast<std::uint32_t>(all.ranges.size()) - row.first_range;
    row.clock_mhz = rows_.text(clock_).empty() ? 0 : rows_.count(clock_);
    const auto end = std::ranges::find(kStretchEnds, rows_.text(end_));
    if (end == kStretchEnds.end())
      rows_.refuse(end_, in_quotes(rows_.text(end_)) + " is no end that is known");
    else
      row.end = static_cast<StretchEnd>(end - kStretchEnds.begin());
  }

  RowReader rows_;
  std::size_t job_, from_, to_, gpus_, clock_, end_;
};

}  // namespace

Result<StoredStretches> parse_stretches(std::string& text, const std::string& file) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  return StretchReader(*opened).read();
}

}  // namespace penstock
