#include "app/sweep_run.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/commands.h"
#include "app/home_run.h"
#include "app/progress_line.h"
#include "base/version.h"
#include "report/summary_json.h"
#include "report/utility.h"

namespace penstock {
namespace {

/// A combination with its jobs, and the run that utilities are relative to.
struct Loaded {
  std::unique_ptr<Prepared> prepared{};
  std::optional<RunSummary> home{};  ///< nothing where jobs have no home
};

Result<Loaded> load(const BatchRequest& request, const Combination& swept) {
  auto prepared = prepare(request, swept);
  if (!prepared) return std::move(prepared).error();
  auto workload = load_workload((*prepared)->scenario);
  if (!workload) return std::move(workload).error();
  (*prepared)->workload = *std::move(workload);
  Loaded loaded{.prepared = *std::move(prepared)};
  if (loaded.prepared->scenario.cluster.network.empty()) return loaded;
  auto home = run_at_home(*loaded.prepared, choices(*loaded.prepared, request).front());
  if (!home) return std::move(home).error();
  loaded.home = *std::move(home);
  return loaded;
}

/// The points of one combination share what is read for it.
struct Shelf {
  std::mutex lock{};
  std::size_t users_to_come = 0;
  std::optional<Result<Loaded>> loaded{};
};

class Simulations {
 public:
  Simulations(const SweepPlan& plan, const BatchRequest& request,
              const std::vector<std::size_t>& points)
      : plan_(plan), request_(request), shelves_(plan.combinations.size()) {
    for (const std::size_t point : points) ++shelves_[plan.points[point].combination].users_to_come;
  }

  Result<std::string> run(std::size_t index) {
    const SweepPoint& point = plan_.points[index];
    Shelf& shelf = shelves_[point.combination];
    const Result<Loaded>& loaded = open(shelf, plan_.combinations[point.combination]);
    auto summary = loaded ? simulate(point, *loaded) : Result<std::string>(loaded.error());
    const std::lock_guard held(shelf.lock);
    if (--shelf.users_to_come == 0) shelf.loaded.reset();
    return summary;
  }

 private:
  const Result<Loaded>& open(Shelf& shelf, const Combination& swept) {
    const std::lock_guard held(shelf.lock);
    if (shelf.loaded) return *shelf.loaded;
    shelf.loaded.emplace(load(request_, swept));
    if (*shelf.loaded)
      std::call_once(remarked_, [&] {
        for (const std::string& line : (*shelf.loaded)->prepared->workload.remarks)
          remark("note: " + line);
      });
    return *shelf.loaded;
  }

  static Result<std::string> simulate(const SweepPoint& point, const Loaded& loaded) {
    const Scenario& scenario = loaded.prepared->scenario;
    auto run = run_one({.prepared = *loaded.prepared, .policy = point.policy});
    if (!run) return std::move(run).error();
    if (loaded.home) fill_utility(*run, *loaded.home, scenario.utility);
    return summary_json({.version = kVersion,
                         .scenario = scenario.name,
                         .scenario_hash = scenario.hash,
                         .seed = scenario.seed,
                         .currency = scenario.currency,
                         .point = point.facts},
                        std::span(&*run, 1));
  }

  const SweepPlan& plan_;
  const BatchRequest& request_;
  std::vector<Shelf> shelves_;
  std::once_flag remarked_;
};

}  // namespace

RunPoint simulate_points(const SweepPlan& plan, const BatchRequest& request,
                         const std::vector<std::size_t>& points) {
  auto simulations = std::make_shared<Simulations>(plan, request, points);
  return [simulations](std::size_t point) { return simulations->run(point); };
}

Result<Done> run_points(const SweepFolder& folder, const std::vector<std::size_t>& points,
                        const RunPoint& run, const SweepRunOptions& options) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> ended = 0;
  std::mutex lock;
  std::optional<Error> trouble;  // with the folder: no use going on
  const auto work = [&] {
    for (std::size_t i = next++; i < points.size(); i = next++, ++ended) {
      const auto summary = run(points[i]);
      if (!summary) {
        folder.note_failure(points[i], summary.error().message);
        continue;
      }
      if (auto stored = folder.store(points[i], *summary); !stored) {
        const std::lock_guard held(lock);
        trouble = std::move(stored).error();
        next = points.size();
      }
    }
  };
  ProgressLine progress(options.progress, ended, points.size(), {"running", "points"});
  std::atomic<std::size_t> busy = std::min<std::size_t>(options.threads, points.size());
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(options.threads, points.size()); ++i)
    workers.emplace_back([&] {
      work();
      --busy;
    });
  progress.watch([&] { return busy == 0; });
  workers.clear();
  if (trouble) return *std::move(trouble);
  return Done{};
}

}  // namespace penstock
