// A table of applications to draw from, as a trace by itself: each once, all submitted at t = 0. A
// scenario draws jobs from it instead (andreas_draw.h).
#include <algorithm>

#include "io/traces/andreas_table.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_andreas(std::string_view text, TraceRows& rows);

namespace {

/// The fastest time of an epoch on the fewest GPUs.
const AndreasTime& fewest(const AndreasKind& kind) {
  return *std::ranges::min_element(
      kind.times, {}, [](const AndreasTime& time) { return std::pair(time.gpus, time.seconds); });
}

}  // namespace

Result<Done> read_andreas(std::string_view text, TraceRows& rows) {
  const auto table = parse_andreas(text, rows.file());
  if (!table) return table.error();
  for (std::uint64_t i = 0; i < table->jobs.size(); ++i) {
    const AndreasJob& job = table->jobs[i];
    const AndreasKind& kind = table->kinds[job.kind];
    const AndreasTime& time = fewest(kind);
    Row row(rows.open(), i, "jobs");
    row.job.job.name = job.name;
    row.job.job.kind = kind.name;
    row.job.job.gpus = time.gpus;
    row.job.actual = row.duration("ExecutionTime", time.seconds * job.epochs, kSecond);
    if (!rows.close(row)) break;
  }
  for (const std::string& note : table->notes) rows.note(note);
  rows.note(
      "applications to draw from, each once and as fast as on its fewest GPUs; a scenario draws "
      "jobs with arrivals and deadlines from them by [workload.andreas]");
  return Done{};
}

}  // namespace penstock
