#include "app/study_geo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "app/study_geo_runs.h"
#include "base/time.h"

namespace penstock {
namespace {

/// A workload's trace, as its scenario reads it.
struct GeoTrace {
  const char* name;
  std::uint32_t jobs;
  std::uint32_t days;
};
constexpr std::array kTraces{GeoTrace{"pai", 71'860, 61}, GeoTrace{"philly", 39'830, 61}};

/// Twelfths of a trace: networks are trained on the first four, the next three are for choosing,
/// figures are of the last five. Each is laid on dates of its own.
constexpr std::uint32_t kParts = 12;
constexpr std::uint32_t kFirstChoice = 4;
constexpr std::uint32_t kFirstTest = 7;
constexpr std::array kChoiceDates{"2021-01-18", "2021-03-08", "2021-05-10"};
constexpr std::array kTestDates{"2021-07-12", "2021-08-09", "2021-09-13", "2021-10-11",
                                "2021-11-08"};

/// The part's jobs come on about this date: those before them keep their days. Weeks begin as they
/// do in the trace, on a Sunday.
std::string start_of(const GeoTrace& trace, std::uint32_t part, const char* date) {
  using namespace std::chrono;
  const sys_days day = floor<days>(*parse_time(date));
  const sys_days first = day - days(trace.days * part / kParts);
  const sys_days sunday = first - (weekday(first) - Sunday);
  return format_time(Time(sunday));
}

void add_plans(const GeoTrace& trace, GeoPeriod period, std::span<const char* const> dates,
               const GeoRequest& request, std::vector<GeoPlan>& all) {
  const std::uint32_t first = period == GeoPeriod::test ? kFirstTest : kFirstChoice;
  const std::size_t most = period == GeoPeriod::test ? 2 : 1;
  for (std::uint32_t i = 0; i < (request.quick ? most : dates.size()); ++i)
    all.push_back({.workload = trace.name,
                   .period = period,
                   .number = i + 1,
                   .start = start_of(trace, first + i, dates[i]),
                   .skip = trace.jobs * (first + i) / kParts,
                   .limit = trace.jobs / kParts / (request.quick ? 2 : 1)});
}

std::vector<GeoPlan> plans(const GeoRequest& request) {
  std::vector<GeoPlan> all;
  for (const GeoTrace& trace : kTraces) {
    const bool wanted =
        request.only.empty() || std::ranges::find(request.only, trace.name) != request.only.end();
    if (!wanted) continue;
    add_plans(trace, GeoPeriod::choice, kChoiceDates, request, all);
    add_plans(trace, GeoPeriod::test, kTestDates, request, all);
  }
  return all;
}

Result<Done> check_request(const GeoRequest& request) {
  std::error_code trouble;
  if (!std::filesystem::exists(request.folder / "pai.toml", trouble))
    return Error{
        fmt::format("{}: there are no scenarios of the study; run penstock where data/ is, "
                    "or name that folder with --data",
                    request.folder.string())};
  const auto known = geo_workloads();
  for (const std::string& name : request.only)
    if (std::ranges::find(known, name) == known.end())
      return Error{
          fmt::format("--only: there is no '{}'; possible: {}", name, fmt::join(known, " "))};
  return Done{};
}

}  // namespace

std::string_view name_of(GeoPeriod period) {
  return period == GeoPeriod::choice ? "choice" : "test";
}

std::vector<std::string> geo_workloads() {
  std::vector<std::string> names;
  names.reserve(kTraces.size());
  for (const GeoTrace& trace : kTraces) names.emplace_back(trace.name);
  return names;
}

Result<std::vector<GeoCase>> study_geo(const GeoRequest& request) {
  if (auto fine = check_request(request); !fine) return std::move(fine).error();
  std::vector<GeoCase> cases;
  const std::vector<GeoPlan> all = plans(request);
  for (const GeoPlan& plan : all) {
    if (request.progress)
      fmt::print(stderr, "study geo: {} of {}: {}, {} stretch {}\n", cases.size() + 1, all.size(),
                 plan.workload, name_of(plan.period), plan.number);
    auto result = run_geo_case(plan, request);
    if (!result) return std::move(result).error();
    cases.push_back(*std::move(result));
    if (!request.after_each) continue;
    if (auto done = request.after_each(cases); !done) return std::move(done).error();
  }
  return cases;
}

}  // namespace penstock
