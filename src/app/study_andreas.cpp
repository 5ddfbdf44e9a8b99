#include "app/study_andreas.h"

#include <fmt/format.h>

#include "experiment/comparison.h"

namespace penstock {
namespace {

struct Method {
  std::string name{};
  PolicyChoice choice{};
};

/// Under the published objective overloaded clusters of more nodes take minutes a run.
constexpr std::uint32_t kMostNodesPublished = 10;

/// First principles in the paper's form, then every method, and on small clusters two by the
/// published objective.
std::vector<Method> methods(std::uint32_t nodes) {
  std::vector<Method> all;
  for (const char* name : {"fifo", "edf", "priority", "greedy", "rg", "ls", "pr"})
    all.push_back({name, {"andreas", {{"method", name}}}});
  if (nodes > kMostNodesPublished) return all;
  for (const char* name : {"rg", "pr"})
    all.push_back({std::string(name) + " published",
                   {"andreas", {{"method", name}, {"aim", "published"}, {"iterations", "100"}}}});
  return all;
}

struct Plan {
  std::string cluster{};
  std::uint32_t nodes = 0;
  std::string arrivals{};
  std::uint64_t seed = 0;
};

/// Larger clusters have more jobs to average over and get fewer seeds. Seeds 1 to 3 with ten
/// nodes were used for tuning and are not among them.
std::vector<Plan> plans(bool quick) {
  struct Size {
    std::uint32_t nodes;
    std::uint64_t seeds;
  };
  std::vector<Size> sizes{{10, 5}, {20, 3}, {50, 2}, {100, 1}};
  if (quick) sizes = {{10, 2}};
  std::vector<Plan> all;
  for (const Size& size : sizes)
    for (const char* cluster : {"server", "cloud"})
      for (const char* arrivals : {"high", "low", "mixed", "exponential", "poisson"})
        for (std::uint64_t seed = 11; seed < 11 + size.seeds; ++seed)
          all.push_back({cluster, size.nodes, arrivals, seed});
  return all;
}

Result<AndreasCase> run_case(const Plan& plan, const AndreasRequest& study) {
  const std::vector<Method> all = methods(plan.nodes);
  ExperimentSpec spec{.scenario = study.folder / (plan.cluster + ".toml"),
                      .overrides = {fmt::format("site.nodes.count={}", plan.nodes / 2),
                                    fmt::format("workload.andreas.arrivals={}", plan.arrivals),
                                    fmt::format("seed={}", plan.seed)}};
  for (const Method& method : all) spec.policies.push_back(method.choice);
  const auto experiment = load_experiment(spec);
  if (!experiment) return experiment.error();
  auto comparison = run_experiment(*experiment, {.threads = study.threads, .with_bound = true});
  if (!comparison) return std::move(comparison).error();
  AndreasCase result{plan.cluster, plan.nodes, plan.arrivals, plan.seed, {}};
  for (std::size_t i = 0; i < all.size(); ++i)
    result.runs.push_back({all[i].name, std::move(comparison->runs[i].summary)});
  return result;
}

}  // namespace

const RunSummary& AndreasCase::run(std::string_view method) const {
  return run_of(runs, method);
}

Result<std::vector<AndreasCase>> study_andreas(const AndreasRequest& request) {
  std::error_code trouble;
  if (!std::filesystem::exists(request.folder / "server.toml", trouble))
    return Error{
        fmt::format("{}: there are no scenarios of the study; run penstock where data/ is, "
                    "or name that folder with --data",
                    request.folder.string())};
  std::vector<AndreasCase> cases;
  const std::vector<Plan> all = plans(request.quick);
  for (const Plan& plan : all) {
    if (request.progress)
      fmt::print(stderr, "study andreas: {} of {}: {}, {} nodes, {} arrivals, seed {}\n",
                 cases.size() + 1, all.size(), plan.cluster, plan.nodes, plan.arrivals, plan.seed);
    auto result = run_case(plan, request);
    if (!result) return std::move(result).error();
    cases.push_back(*std::move(result));
    if (!request.after_each) continue;
    if (auto done = request.after_each(cases); !done) return std::move(done).error();
  }
  return cases;
}

}  // namespace penstock
