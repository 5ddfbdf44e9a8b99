#include "app/study_geo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/batch.h"

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
void add_learned(std::vector<Method>& all, const std::filesystem::path& weights) {
  for (const char* name : {"marl", "independent-rl", "single-rl"}) {
    const std::filesystem::path file = weights / (std::string(name) + ".safetensors");
    std::error_code trouble;
    if (std::filesystem::exists(file, trouble))
      all.push_back({name, geo({{"router", name}, {"weights", file.string()}})});
  }
}

std::vector<Method> methods(const GeoRequest& request) {
  std::vector<Method> all;
  for (const std::string& router : simple_routers())
    all.push_back({router, geo({{"router", router}})});
  all.push_back({"cheapest+wait", geo({{"router", "cheapest"}, {"wait", "cheapest"}})});
  all.push_back({"greenest+wait", geo({{"router", "greenest"}, {"wait", "greenest"}})});
  all.push_back({"mpc", geo({{"router", "mpc"}})});
  add_learned(all, request.weights);
  return all;
}

/// Where a stretch lies: the trace's first day, and the jobs before it.
struct Stretch {
  const char* start;
  std::uint32_t skip;
};

/// Jobs that are skipped keep their days, so a stretch begins some days after `start`.
constexpr std::array kChoices{Stretch{"2021-01-04T00:00Z", 0}, Stretch{"2021-02-22T00:00Z", 8000},
                              Stretch{"2021-04-12T00:00Z", 16000}};
constexpr std::array kTests{Stretch{"2021-07-05T00:00Z", 4000}, Stretch{"2021-07-26T00:00Z", 12000},
                            Stretch{"2021-08-23T00:00Z", 20000},
                            Stretch{"2021-09-20T00:00Z", 14000},
                            Stretch{"2021-10-18T00:00Z", 6000}};

struct Plan {
  std::string workload{};
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;
  Stretch stretch{};
};

std::vector<Plan> plans(const GeoRequest& request) {
  std::vector<Plan> all;
  for (const std::string& workload : request.only.empty() ? geo_workloads() : request.only) {
    const auto add = [&](GeoPeriod period, std::span<const Stretch> stretches, std::size_t most) {
      for (std::uint32_t i = 0; i < std::min(most, stretches.size()); ++i)
        all.push_back({workload, period, i + 1, stretches[i]});
    };
    add(GeoPeriod::choice, kChoices, request.quick ? 1 : kChoices.size());
    add(GeoPeriod::test, kTests, request.quick ? 2 : kTests.size());
  }
  return all;
}

Result<GeoCase> run_case(const Plan& plan, const GeoRequest& study) {
  const std::vector<Method> all = methods(study);
  BatchRequest request{.scenario = study.folder / (plan.workload + ".toml"),
                       .overrides = {fmt::format("workload.start={}", plan.stretch.start),
                                     fmt::format("workload.skip={}", plan.stretch.skip),
                                     fmt::format("workload.limit={}", study.quick ? 3000 : 6000)},
                       .threads = study.threads,
                       .progress = false};
  for (const Method& method : all) request.policies.push_back(method.choice);
  const auto batch = load_batch(request);
  if (!batch) return batch.error();
  auto runs = run_batch(*batch, request, std::nullopt);
  if (!runs) return std::move(runs).error();
  GeoCase result{plan.workload, plan.period, plan.number, plan.stretch.start, {}};
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
  return {"pai", "philly"};
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
