#include "app/study_geo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/batch.h"
#include "base/time.h"

namespace penstock {
namespace {

struct Method {
  std::string name{};
  PolicyChoice choice{};
};

PolicyChoice geo(Options options) {
  options.emplace("site", "fifo");
  options.emplace("site.backfill", "easy");
  return {"geo", std::move(options)};
}

/// A learned router, if somebody has trained it.
void add_learned(std::vector<Method>& all, const GeoRequest& request, const std::string& workload) {
  for (const char* name : {"marl", "independent-rl", "single-rl"}) {
    const std::filesystem::path file =
        request.weights / fmt::format("geo-{}-{}.safetensors", workload, name);
    std::error_code trouble;
    if (std::filesystem::exists(file, trouble))
      all.push_back({name, geo({{"router", name}, {"weights", file.string()}})});
  }
}

std::vector<Method> methods(const GeoRequest& request, const std::string& workload) {
  std::vector<Method> all;
  for (const std::string& router : simple_routers())
    all.push_back({router, geo({{"router", router}})});
  all.push_back({"cheapest+wait", geo({{"router", "cheapest"}, {"wait", "cheapest"}})});
  all.push_back({"greenest+wait", geo({{"router", "greenest"}, {"wait", "greenest"}})});
  for (const char* router : {"thrifty", "thrifty-wait", "mpc"})
    all.push_back({router, geo({{"router", router}})});
  add_learned(all, request, workload);
  return all;
}

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

struct Plan {
  std::string workload{};
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;
  std::string start{};  ///< of the whole trace
  std::uint32_t skip = 0;
  std::uint32_t limit = 0;
};

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
               const GeoRequest& request, std::vector<Plan>& all) {
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

std::vector<Plan> plans(const GeoRequest& request) {
  std::vector<Plan> all;
  for (const GeoTrace& trace : kTraces) {
    const bool wanted =
        request.only.empty() || std::ranges::find(request.only, trace.name) != request.only.end();
    if (!wanted) continue;
    add_plans(trace, GeoPeriod::choice, kChoiceDates, request, all);
    add_plans(trace, GeoPeriod::test, kTestDates, request, all);
  }
  return all;
}

Result<GeoCase> run_case(const Plan& plan, const GeoRequest& study) {
  const std::vector<Method> all = methods(study, plan.workload);
  BatchRequest request{.scenario = study.folder / (plan.workload + ".toml"),
                       .overrides = {fmt::format("workload.start={}", plan.start),
                                     fmt::format("workload.skip={}", plan.skip),
                                     fmt::format("workload.limit={}", plan.limit)},
                       .threads = study.threads,
                       .progress = false,
                       .with_bound = plan.period == GeoPeriod::test && !study.quick};
  for (const Method& method : all) request.policies.push_back(method.choice);
  const auto batch = load_batch(request);
  if (!batch) return batch.error();
  auto runs = run_batch(*batch, request, std::nullopt);
  if (!runs) return std::move(runs).error();
  GeoCase result{plan.workload, plan.period, plan.number, plan.start, {}};
  for (std::size_t i = 0; i < all.size(); ++i)
    result.runs.push_back({all[i].name, std::move((*runs)[i])});
  return result;
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

std::vector<std::string> simple_routers() {
  return {"local", "random", "round-robin", "cheapest", "greenest", "least-loaded", "most-free"};
}

Result<std::vector<GeoCase>> study_geo(const GeoRequest& request) {
  if (auto fine = check_request(request); !fine) return std::move(fine).error();
  std::vector<GeoCase> cases;
  const std::vector<Plan> all = plans(request);
  for (const Plan& plan : all) {
    if (request.progress)
      fmt::print(stderr, "study geo: {} of {}: {}, {} stretch {}\n", cases.size() + 1, all.size(),
                 plan.workload, name_of(plan.period), plan.number);
    auto result = run_case(plan, request);
    if (!result) return std::move(result).error();
    cases.push_back(*std::move(result));
    if (!request.after_each) continue;
    if (auto done = request.after_each(cases); !done) return std::move(done).error();
  }
  return cases;
}

}  // namespace penstock
