#include "experiment/sweep/points.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "experiment/comparison.h"
#include "experiment/policy_run.h"
#include "report/files/summary_json.h"
#include "report/measures/run_summary.h"

namespace penstock {
namespace {

/// A combination with its jobs, and the run that utilities are relative to.
struct LoadedVariant {
  std::unique_ptr<Variant> variant{};
  std::optional<RunSummary> home{};  ///< nothing where jobs have no home
};

Result<LoadedVariant> load_variant(const ExperimentSpec& spec, const Combination& swept) {
  auto variant = prepare_variant(spec, swept);
  if (!variant) return std::move(variant).error();
  auto workload = load_workload((*variant)->scenario);
  if (!workload) return std::move(workload).error();
  (*variant)->workload = *std::move(workload);
  LoadedVariant loaded{.variant = *std::move(variant)};
  if (loaded.variant->scenario.cluster.network.empty()) return loaded;
  auto home = run_at_home(*loaded.variant, policies_of(*loaded.variant, spec.policies).front());
  if (!home) return std::move(home).error();
  loaded.home = *std::move(home);
  return loaded;
}

/// What is read for a combination, shared by its points.
struct SharedVariant {
  std::mutex lock{};
  std::size_t points_to_come = 0;
  std::optional<Result<LoadedVariant>> loaded{};
};

/// Simulates points, and reads each combination once.
class Simulations {
 public:
  Simulations(const SweepPlan& plan, const ExperimentSpec& spec,
              const std::vector<std::size_t>& points, const NoteCallback& note)
      : plan_(plan), spec_(spec), note_(note), variants_(plan.combinations.size()) {
    for (const std::size_t point : points)
      ++variants_[plan.points[point].combination].points_to_come;
  }

  Result<std::string> run(std::size_t index) {
    const SweepPoint& point = plan_.points[index];
    SharedVariant& shared = variants_[point.combination];
    const Result<LoadedVariant>& loaded = open(shared, plan_.combinations[point.combination]);
    auto summary = loaded ? simulate_point(point, *loaded) : Result<std::string>(loaded.error());
    const std::lock_guard held(shared.lock);
    if (--shared.points_to_come == 0) shared.loaded.reset();
    return summary;
  }

 private:
  const Result<LoadedVariant>& open(SharedVariant& shared, const Combination& swept) {
    const std::lock_guard held(shared.lock);
    if (shared.loaded) return *shared.loaded;
    shared.loaded.emplace(load_variant(spec_, swept));
    if (*shared.loaded && note_)
      std::call_once(notes_sent_, [&] {
        for (const std::string& line : (*shared.loaded)->variant->workload.notes)
          note_("note: " + line);
      });
    return *shared.loaded;
  }

  static Result<std::string> simulate_point(const SweepPoint& point, const LoadedVariant& loaded) {
    const Scenario& scenario = loaded.variant->scenario;
    auto run = run_policy({.variant = *loaded.variant, .policy = point.policy});
    if (!run) return std::move(run).error();
    if (loaded.home) fill_utility(run->summary, *loaded.home, scenario.utility);
    SummaryHead head = summary_head(scenario);
    head.point = point.facts;
    return summary_json(head, std::span(&run->summary, 1));
  }

  const SweepPlan& plan_;
  const ExperimentSpec& spec_;
  const NoteCallback& note_;
  std::vector<SharedVariant> variants_;
  std::once_flag notes_sent_;
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
  std::optional<Error> error;  // guarded by `lock`
  const auto run_point = [&](std::size_t i) {
    if (folder_fails || hooks.stop.stop_requested()) return;
    const auto summary = run(points[i]);
    if (!summary) {
      folder.store_failure(points[i], summary.error().message);
    } else if (auto stored = folder.store(points[i], *summary); !stored) {
      const std::lock_guard held(lock);
      error = std::move(stored).error();
      folder_fails = true;
    }
    ++ended;
  };
  work_in_parallel(points.size(), threads, run_point, hooks.progress,
                   [&] { return WorkProgress{.done = ended, .expected = points.size()}; });
  if (error) return *std::move(error);
  if (hooks.stop.stop_requested()) return Error{"the sweep was stopped"};
  return Done{};
}

}  // namespace penstock
