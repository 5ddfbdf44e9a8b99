#include "study/andreas/andreas_study.h"

#include <fmt/format.h>

#include "io/traces/andreas_draw.h"
#include "study/andreas/andreas_tables.h"
#include "study/run_cases.h"

namespace penstock {
namespace {

/// Sizes of jobs by load: as unequal as those of many traces.
constexpr double kSizeSigma = 1;

/// First principles in the later published form first, then the others from the simplest on.
std::vector<Method> andreas_methods(AndreasMethods which) {
  std::vector<Method> list;
  const auto add = [&](const char* name, const char* method, Options options = {}) {
    options.emplace("method", method);
    list.push_back({name, {"andreas", std::move(options)}});
  };
  for (const char* name : {"fifo", "edf", "priority"}) add(name, name);
  if (which >= AndreasMethods::rivals) {
    add("fifo unique", "fifo", {{"unique", "yes"}});
    add("edf unique", "edf", {{"unique", "yes"}});
    add("priority unique", "priority", {{"unique", "yes"}});
    add("atc", "atc");
    add("rg as published", "rg",
        {{"aim", "published"}, {"randomisation", "published"}, {"iterations", "100"}});
  }
  if (which >= AndreasMethods::ours)
    for (const char* name : {"greedy", "rg", "ls"}) add(name, name);
  add("pr", "pr");
  if (which >= AndreasMethods::all) {
    add("rg published", "rg", {{"aim", "published"}, {"iterations", "100"}});
    add("pr published", "pr", {{"aim", "published"}, {"iterations", "100"}});
  }
  return list;
}

std::vector<std::string> overrides_of(const AndreasPlan& plan) {
  const auto [low, high] =
      usual_weights(plan.cluster == "server" ? AndreasRates::server : AndreasRates::cloud);
  const auto set = [](const char* key, const auto& value) {
    return fmt::format("workload.andreas.{}={}", key, value);
  };
  std::vector<std::string> all{
      fmt::format("site.nodes.count={}", plan.nodes / 2), fmt::format("seed={}", plan.seed),
      set("arrivals", plan.arrivals), set("jobs_per_node", plan.jobs_per_node),
      set("weights", fmt::format("[{}, {}]", low * plan.weights, high * plan.weights))};
  if (!plan.is_by_load()) return all;
  const auto [least, most] = plan.slack;
  all.push_back(set("load", plan.load));
  all.push_back(set("deadline_slack", fmt::format("[{}, {}]", least, most)));
  all.push_back(set("size_sigma", kSizeSigma));
  return all;
}

std::string title_of(const AndreasPlan& plan) {
  return fmt::format("{}, {} nodes, {}, seed {}, weights x {:g}", plan.cluster, plan.nodes,
                     plan.workload(), plan.seed, plan.weights);
}

}  // namespace

Result<AndreasCase> run_andreas_case(const AndreasPlan& plan, const StudyRequest& request) {
  auto runs =
      load_and_run({.scenario = request.data / "studies" / "andreas" / (plan.cluster + ".toml"),
                    .overrides = overrides_of(plan)},
                   {.threads = 1, .with_bound = true}, andreas_methods(plan.methods));
  if (!runs) return std::move(runs).error();
  return AndreasCase{plan, *std::move(runs)};
}

Result<std::vector<AndreasCase>> run_andreas_cases(const StudyRequest& request) {
  const auto folder = request.data / "studies" / "andreas";
  if (auto there = check_scenario(folder, "server.toml"); !there) return std::move(there).error();
  const char* quick = request.quick ? "quick" : "report";
  const auto all = read_andreas_plans(folder / "cases.toml", request.tuning ? "tuning" : quick);
  if (!all) return all.error();
  CaseLoop<AndreasCase> loop{
      .count = all->size(), .at_once = request.threads, .run = [&](std::size_t i) {
        return run_andreas_case((*all)[i], request);
      }};
  if (request.note)
    loop.begins = [&](std::size_t i) {
      request.note(
          fmt::format("study andreas: {} of {}: {}", i + 1, all->size(), title_of((*all)[i])));
    };
  if (request.save)
    loop.so_far = [&](const std::vector<AndreasCase>& cases) {
      return request.save({"study.csv", andreas_csv(cases)});
    };
  return run_cases(loop);
}

Result<StudyResult> run_andreas_study(const StudyRequest& request) {
  const auto cases = run_andreas_cases(request);
  if (!cases) return cases.error();
  StudyResult result{.text = andreas_text(*cases)};
  for (const char* cluster : {"server", "cloud"})
    result.files.push_back({std::string(cluster) + ".svg", andreas_svg(*cases, cluster)});
  for (const AndreasCase& each : *cases)
    result.pages.push_back(page_source(title_of(each), "", each.runs));
  return result;
}

}  // namespace penstock
