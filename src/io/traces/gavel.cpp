// Gavel traces: fields between tabs, no head.
//   7: job type, command, steps argument, needs data, steps, arrival, GPUs
//  10: job type, command, folder, steps argument, needs data, steps, GPUs,
//      priority, service level objective (-1: none), arrival
// The run time is steps / throughput on V100s. Which throughput differs: in the
// files of 10 fields, steps / throughput at the asked size gives the round times
// they were made of; in those of 7 fields, derived from Philly, only steps / one-GPU
// throughput gives like times for all job types, so that is how they were counted.
#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/text/lines.h"
#include "io/text/number.h"
#include "io/traces/gavel_table.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_gavel(std::string_view text, TraceRows& rows);

namespace {

struct Layout {
  std::size_t fields = 0, steps = 0, arrival = 0, gpus = 0;
  bool counted_on_one_gpu = false;
};
constexpr Layout kSeven{
    .fields = 7, .steps = 4, .arrival = 5, .gpus = 6, .counted_on_one_gpu = true};
constexpr Layout kTen{.fields = 10, .steps = 5, .arrival = 9, .gpus = 6};
constexpr std::size_t kPriority = 7;
constexpr std::size_t kObjective = 8;

Duration run_time(Row& row, std::string_view job_type, std::string_view steps, std::uint32_t gpus) {
  const auto throughput = gavel_throughput(job_type, gpus);
  if (!throughput)
    row.fail(
        "job type", "no throughput known",
        fmt::format("no V100 throughput is known for {} on {} GPUs", in_quotes(job_type), gpus));
  const double count = row.number("steps", steps);
  if (!(count > 0)) row.fail("steps", "not positive", fmt::format("{} is not positive", count));
  return row.duration("steps", count / throughput.value_or(1), kSecond);
}

void fill(Row& row, const std::vector<std::string_view>& cells, const Layout& layout) {
  auto& traced = row.job;
  traced.job.kind = trim(cells[0]);
  traced.job.gpus = row.gpus("scale factor", trim(cells[layout.gpus]));
  traced.job.submitted = row.offset("arrival", trim(cells[layout.arrival]), kSecond);
  traced.actual = run_time(row, trim(cells[0]), trim(cells[layout.steps]),
                           layout.counted_on_one_gpu ? 1 : traced.job.gpus);
  if (layout.fields != kTen.fields) return;
  traced.job.priority = row.number("priority", trim(cells[kPriority]));
  const double objective = row.number("SLO", trim(cells[kObjective]));
  if (objective > 0)  // times the run time
    traced.job.deadline =
        traced.job.submitted + row.duration("SLO", objective * seconds(traced.actual), kSecond);
}

}  // namespace

Result<Done> read_gavel(std::string_view text, TraceRows& rows) {
  rows.note("run times are derived: steps / V100 throughput of the job alone");
  LineReader lines(text);
  std::vector<std::string_view> cells;
  while (const auto line = lines.next()) {
    if (trim(*line).empty()) continue;
    Row row(rows.open(), lines.number());
    row.job.job.name = std::to_string(lines.number());
    cells.clear();
    for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
      end = line->find('\t', begin);
      cells.push_back(line->substr(begin, end - begin));
    }
    if (cells.size() == kSeven.fields) {
      fill(row, cells, kSeven);
    } else if (cells.size() == kTen.fields) {
      fill(row, cells, kTen);
    } else {
      row.fail("row", "wrong number of fields",
               fmt::format("has {} fields between tabs instead of 7 or 10", cells.size()));
    }
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
