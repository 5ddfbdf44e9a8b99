// Whatever a file holds, a reader ends with a trace that keeps its promises or
// with a message; and our own table gives the same jobs back.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "base/check.h"
#include "io/traces/inspect.h"
#include "io/traces/trace.h"
#include "io/traces/write.h"

namespace penstock {
namespace {

void check_promises(const Trace& trace) {
  PENSTOCK_CHECK(!trace.jobs.empty());
  Time last{};
  for (std::uint32_t i = 0; i < trace.jobs.size(); ++i) {
    const auto& job = trace.jobs[i].job;
    PENSTOCK_CHECK(job.id == JobId{i} && job.submitted >= last && job.gpus > 0);
    PENSTOCK_CHECK(job.requested > Duration::zero() && trace.jobs[i].actual > Duration::zero());
    for (const JobId parent : job.parents) PENSTOCK_CHECK(parent < job.id);
    last = job.submitted;
  }
}

void check_round_trip(const Trace& trace) {
  std::ostringstream out;
  write_csv(out, trace.jobs);
  const auto again = parse_trace(out.str(), "again", "csv", {});
  PENSTOCK_CHECK(again && again->jobs.size() == trace.jobs.size());
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const auto& a = trace.jobs[i];
    const auto& b = again->jobs[i];
    PENSTOCK_CHECK(a.job.submitted == b.job.submitted && a.actual == b.actual);
    PENSTOCK_CHECK(a.job.gpus == b.job.gpus && a.job.requested == b.job.requested);
    PENSTOCK_CHECK(a.job.name == b.job.name && a.job.group == b.job.group);
    PENSTOCK_CHECK(a.job.parents == b.job.parents && a.job.deadline == b.job.deadline);
  }
}

void read_both_ways(std::string_view text) {
  for (const bool strict : {true, false}) {
    const auto trace = parse_trace(text, "fuzz", PENSTOCK_FORMAT, {.strict = strict});
    if (!trace) continue;
    check_promises(*trace);
    check_round_trip(*trace);
    static_cast<void>(to_json(inspect(*trace, 16, 8)));
  }
  const auto part = parse_trace(
      text, "fuzz", PENSTOCK_FORMAT,
      {.strict = false, .skip = 1, .limit = 2, .load = 2, .gpus_max = 8, .request_factor = 3});
  if (part) check_promises(*part);
}

}  // namespace
}  // namespace penstock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  penstock::read_both_ways({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
