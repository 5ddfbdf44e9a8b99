#include "experiment/sweep/points.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/version.h"
#include "experiment/comparison.h"
#include "experiment/policy_run.h"
#include "report/files/summary_json.h"
#include "report/measures/run_summary.h"

namespace penstock {
namespace {

/// A combination with its jobs, and the run that utilities are relative to.
struct Loaded {
  std::unique_ptr<Variant> variant{};
  std::optional<RunSummary> home{};  ///< nothing where jobs have no home
};

Result<Loaded> load(const ExperimentSpec& spec, const Combination& swept) {
  auto variant = prepare_variant(spec, swept);
  if (!variant) return std::move(variant).error();
  auto workload = load_workload((*variant)->scenario);
  if (!workload) return std::move(workload).error();
  (*variant)->workload = *std::move(workload);
  Loaded loaded{.variant = *std::move(variant)};
  if (loaded.variant->scenario.cluster.network.empty()) return loaded;
  auto home = run_at_home(*loaded.variant, policies_of(*loaded.variant, spec.policies).front());
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
  Simulations(const SweepPlan& plan, const ExperimentSpec& spec,
              const std::vector<std::size_t>& points, const NoteCallback& note)
      : plan_(plan), spec_(spec), note_(note), shelves_(plan.combinations.size()) {
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
    shelf.loaded.emplace(load(spec_, swept));
    if (*shelf.loaded && note_)
      std::call_once(remarked_, [&] {
        for (const std::string& line : (*shelf.loaded)->variant->workload.remarks)
          note_("note: " + line);
      });
    return *shelf.loaded;
  }

  static Result<std::string> simulate(const SweepPoint& point, const Loaded& loaded) {
    const Scenario& scenario = loaded.variant->scenario;
    auto run = run_policy({.variant = *loaded.variant, .policy = point.policy});
    if (!run) return std::move(run).error();
    if (loaded.home) fill_utility(run->summary, *loaded.home, scenario.utility);
    return summary_json({.version = kVersion,
                         .scenario = scenario.name,
                         .scenario_hash = scenario.hash,
                         .seed = scenario.seed,
                         .currency = scenario.currency,
                         .point = point.facts},
                        std::span(&run->summary, 1));
  }

  const SweepPlan& plan_;
  const ExperimentSpec& spec_;
  const NoteCallback& note_;
  std::vector<Shelf> shelves_;
  std::once_flag remarked_;
};

}  // namespace

RunPoint simulate_points(const SweepPlan& plan, const ExperimentSpec& spec,
                         const std::vector<std::size_t>& points, const NoteCallback& note) {
  auto simulations = std::make_shared<Simulations>(plan, spec, points, note);
  return [simulations](std::size_t point) { return simulations->run(point); };
}

Result<Done> run_points(const SweepFolder& folder, const std::vector<std::size_t>& points,
                        const RunPoint& run, unsigned threads, const SweepHooks& hooks) {
  std::atomic<std::uint64_t> ended = 0;
  std::atomic<bool> folder_fails = false;  // no use going on
  std::mutex lock;
  std::optional<Error> trouble;  // guarded by `lock`
  const auto run_point = [&](std::size_t i) {
    if (folder_fails || hooks.stop.stop_requested()) return;
    const auto summary = run(points[i]);
    if (!summary) {
      folder.note_failure(points[i], summary.error().message);
    } else if (auto stored = folder.store(points[i], *summary); !stored) {
      const std::lock_guard held(lock);
      trouble = std::move(stored).error();
      folder_fails = true;
    }
    ++ended;
  };
  work_in_parallel(points.size(), threads, run_point, hooks.progress,
                   [&] { return WorkProgress{.done = ended, .expected = points.size()}; });
  if (trouble) return *std::move(trouble);
  if (hooks.stop.stop_requested()) return Error{"the sweep was stopped"};
  return Done{};
}

}  // namespace penstock
