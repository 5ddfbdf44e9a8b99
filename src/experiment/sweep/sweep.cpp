#include "experiment/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFailuresTold = 10;

/// An error that tells why these points failed, if any did.
Result<Done> failures_error(const SweepFolder& folder, const std::vector<std::size_t>& points) {
  const std::vector<FailedPoint> failed = folder.failures(points);
  if (failed.empty()) return Done{};
  std::string text =
      fmt::format("{} of {} points failed", failed.size(), folder.plan().points.size());
  for (std::size_t i = 0; i < std::min(failed.size(), kMostFailuresTold); ++i)
    text += fmt::format("\n{}: {}", folder.plan().points[failed[i].point].label, failed[i].reason);
  if (failed.size() > kMostFailuresTold) text += "\nand so on: error.txt in the folder of each";
  return Error{text};
}

Result<Done> run_task(const PlannedSweep& sweep, const SweepRequest& request,
                      const SweepHooks& hooks) {
  if (!request.of.empty() && request.of != sweep.plan.key)
    return Error{fmt::format(
        "--of {}: the sweep is now {}: the scenario or the program has changed since then",
        request.of, sweep.plan.key)};
  const auto folder = SweepFolder::open_existing(request.out, sweep.plan);
  if (!folder) return folder.error();
  auto points = read_points(request.points, sweep.plan);
  if (!points) return std::move(points).error();
  std::erase_if(*points, [&](std::size_t point) { return folder->has(point); });
  folder->remove_failures(*points);
  auto done = run_points(*folder, *points, sweep.runner(*folder, *points), request.threads, hooks);
  if (!done) return done;
  return failures_error(*folder, *points);
}

/// Points of an array that is still in the queue would be run twice.
Result<Done> refuse_array(const SweepFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(folder.slurm(), ignored)) return Done{};
  const auto tasks = tasks_of(folder);
  if (!tasks || !tasks->active()) return Done{};
  return out_error(folder.path(),
                   fmt::format("array {} works on it; wait for it with --slurm, or end it: scancel "
                               "{}",
                               tasks->job, tasks->job));
}

Result<Done> run_here(const PlannedSweep& sweep, const SweepRequest& request,
                      const SweepFolder& folder, const SweepHooks& hooks) {
  if (auto fine = refuse_array(folder); !fine) return fine;
  const std::vector<std::size_t> missing = folder.missing();
  const std::size_t all = sweep.plan.points.size();
  if (missing.size() < all)
    send_note(hooks.note,
              fmt::format("{} of {} points are there already", all - missing.size(), all));
  folder.remove_failures(missing);
  return run_points(folder, missing, sweep.runner(folder, missing), request.threads, hooks);
}

void add_options(std::vector<std::string>& words, const std::string& option,
                 const std::vector<std::string>& values) {
  for (const std::string& value : values) words.push_back(fmt::format("{}={}", option, value));
}

/// The command line with which a task runs points of this sweep.
std::vector<std::string> task_command(const PlannedSweep& sweep, const SweepRequest& request,
                                      const SweepFolder& folder) {
  std::error_code ignored;
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe", ignored).string(),
                                 "sweep",
                                 fs::absolute(request.scenario, ignored).string(),
                                 "--out",
                                 folder.path().string(),
                                 "--jobs",
                                 fmt::format("{}", request.slurm->cpus),
                                 "--of",
                                 sweep.plan.key};
  add_options(words, "--policy", request.policies);
  add_options(words, "--set", request.overrides);
  add_options(words, "--vary", request.vary);
  add_options(words, "--train", request.train);
  words.emplace_back("--no-progress");
  if (request.train_options.empty()) return words;
  words.emplace_back("--");
  words.insert(words.end(), request.train_options.begin(), request.train_options.end());
  return words;
}

Result<ArrayEnd> run_array(const PlannedSweep& sweep, const SweepRequest& request,
                           const SweepFolder& folder, const SweepHooks& hooks) {
  const SweepSlurmOptions& slurm = *request.slurm;
  return run_on_slurm(folder,
                      {.array = {.at_once = slurm.array_limit,
                                 .cpus = slurm.cpus,
                                 .partition = slurm.partition,
                                 .time = slurm.time,
                                 .more = slurm.sbatch},
                       .points_per_task = slurm.per_task,
                       .task = task_command(sweep, request, folder),
                       .wait = slurm.wait,
                       .progress = slurm.progress,
                       .watch = slurm.watch},
                      hooks.note);
}

}  // namespace

Result<std::optional<SweepFolder>> run_sweep(const PlannedSweep& sweep, const SweepRequest& request,
                                             const SweepHooks& hooks) {
  for (const std::string& line : sweep.plan.notes) send_note(hooks.note, "note: " + line);
  if (!request.points.empty()) {
    if (auto done = run_task(sweep, request, hooks); !done) return std::move(done).error();
    return std::optional<SweepFolder>();
  }
  auto folder = SweepFolder::open(request.out, sweep.plan);
  if (!folder) return std::move(folder).error();
  if (!request.slurm) {
    if (auto done = run_here(sweep, request, *folder, hooks); !done) return std::move(done).error();
    return std::optional(*std::move(folder));
  }
  const auto end = run_array(sweep, request, *folder, hooks);
  if (!end) return end.error();
  if (*end == ArrayEnd::left) return std::optional<SweepFolder>();
  if (*end == ArrayEnd::cancelled)
    return Error{fmt::format(
        "--slurm: the array was cancelled; {} of {} points are missing, which the same command "
        "runs",
        folder->missing().size(), sweep.plan.points.size())};
  return std::optional(*std::move(folder));
}

Result<Done> check_failures(const SweepFolder& folder) {
  return failures_error(folder, folder.missing());
}

}  // namespace penstock
