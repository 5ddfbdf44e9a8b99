// Any text is a file of a run that can be packed, or has a message that says why not. The first
// byte says which file it is.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "page/packed/tables.h"
#include "page/page.h"
#include "page/stored/tables.h"

namespace penstock {
namespace {

const std::vector<std::string> kSites{"here", "there"};

template <class T>
bool is_fine(const Result<T>& result) {
  PENSTOCK_CHECK(result || !result.error().message.empty());
  return static_cast<bool>(result);
}

void check_columns(const PackedTable& table) {
  for (const auto& [name, column] : table.columns) {
    PENSTOCK_CHECK(column.rows == table.rows);
    PENSTOCK_CHECK(column.bytes.empty() == (column.encoding == "const"));
  }
}

void read_jobs(std::string& text) {
  const auto jobs = parse_jobs(text, "jobs.csv", kSites);
  if (!is_fine(jobs)) return;
  Population population{in_order(*jobs), jobs->size()};
  PENSTOCK_CHECK(join(population, in_order(*jobs), jobs->size()));
  PENSTOCK_CHECK(population.jobs.size() == jobs->size());
  check_columns(pack_jobs(matched(population, population.jobs), TimeUnit(Duration(1))));
}

void read_stretches(std::string& text) {
  const auto stretches = parse_stretches(text, "stretches.csv");
  if (!is_fine(stretches)) return;
  const StoredJob job{.name = "a", .finish = Duration::max()};
  const Population population{{&job}, 1};
  const JobNames names(population);
  const PackedTable table = pack_stretches(
      *stretches, {.names = names, .jobs = population.jobs, .unit = TimeUnit(), .most_rows = 3});
  PENSTOCK_CHECK(table.rows <= 3);
  check_columns(table);
}

void read_timeline(std::string& text) {
  const auto timeline = parse_timeline(text, "timeline.csv", kSites);
  if (!is_fine(timeline)) return;
  for (const auto& samples : *timeline)
    check_columns(pack_samples(thinned(samples, thinning(samples.size(), 2)), TimeUnit()));
}

void read_summary(std::string& text) {
  const PageSource source{.shown = "out", .summary = text};
  is_fine(page_data({.sources = std::span(&source, 1), .version = "fuzz", .threads = 1}));
}

void read_any(std::uint8_t kind, std::string text) {
  switch (kind % 7) {
    case 0:
      return read_jobs(text);
    case 1:
      return read_stretches(text);
    case 2:
      return read_timeline(text);
    case 3:
      return static_cast<void>(is_fine(parse_reasons(text, "reasons.csv")));
    case 4:
      return static_cast<void>(is_fine(parse_curve(text, "curve.csv")));
    case 5:
      return static_cast<void>(is_fine(parse_sweep(text, "sweep.csv")));
    default:
      return read_summary(text);
  }
}

}  // namespace
}  // namespace penstock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  penstock::read_any(bytes[0], {reinterpret_cast<const char*>(bytes) + 1, size - 1});
  return 0;
}
