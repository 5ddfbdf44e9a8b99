#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands.h"
#include "app/sweep.h"
#include "app/sweep_array.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFailuresTold = 10;

/// Why points that are not there failed, if any did.
Result<Done> tell_failures(const SweepFolder& folder, const std::vector<std::size_t>& points) {
  const std::vector<FailedPoint> failed = folder.failures(points);
  if (failed.empty()) return Done{};
  std::string text =
      fmt::format("{} of {} points failed", failed.size(), folder.plan().points.size());
  for (std::size_t i = 0; i < std::min(failed.size(), kMostFailuresTold); ++i)
    text += fmt::format("\n{}: {}", folder.plan().points[failed[i].point].label, failed[i].reason);
  if (failed.size() > kMostFailuresTold) text += "\nand so on: error.txt in the folder of each";
  return Error{text};
}

SweepRunOptions run_options(const SweepOptions& options) {
  return {.threads = options.jobs, .progress = !options.no_progress};
}

Result<Done> run_task(const SweepKind& kind, const SweepOptions& options) {
  if (!options.of.empty() && options.of != kind.plan.key)
    return Error{fmt::format(
        "--of {}: the sweep is now {}: the scenario or the program has changed since then",
        options.of, kind.plan.key)};
  const auto folder = SweepFolder::join(options.out, kind.plan);
  if (!folder) return folder.error();
  auto points = read_points(options.points, kind.plan);
  if (!points) return std::move(points).error();
  std::erase_if(*points, [&](std::size_t point) { return folder->has(point); });
  folder->forget_failures(*points);
  auto done = run_points(*folder, *points, kind.runner(*folder, *points), run_options(options));
  if (!done) return done;
  return tell_failures(*folder, *points);
}

/// Points of an array that is still in the queue would be run twice.
Result<Done> refuse_array(const SweepFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(folder.slurm(), ignored)) return Done{};
  const auto tasks = tasks_of(folder);
  if (!tasks || !tasks->active()) return Done{};
  return about_out(folder.path(),
                   fmt::format("array {} works on it; wait for it with --slurm, or end it: scancel "
                               "{}",
                               tasks->job, tasks->job));
}

Result<Done> run_here(const SweepKind& kind, const SweepOptions& options,
                      const SweepFolder& folder) {
  if (auto fine = refuse_array(folder); !fine) return fine;
  const std::vector<std::size_t> missing = folder.missing();
  const std::size_t all = kind.plan.points.size();
  if (missing.size() < all)
    remark(fmt::format("{} of {} points are there already", all - missing.size(), all));
  folder.forget_failures(missing);
  return run_points(folder, missing, kind.runner(folder, missing), run_options(options));
}

void add_words(std::vector<std::string>& words, const std::string& option,
               const std::vector<std::string>& values) {
  for (const std::string& value : values) words.push_back(fmt::format("{}={}", option, value));
}

/// The words with which a task runs points of the same sweep.
std::vector<std::string> task_words(const SweepKind& kind, const SweepOptions& options,
                                    const SweepFolder& folder) {
  std::error_code ignored;
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe", ignored).string(),
                                 "sweep",
                                 fs::absolute(options.scenario, ignored).string(),
                                 "--out",
                                 folder.path().string(),
                                 "--jobs",
                                 fmt::format("{}", options.cpus),
                                 "--of",
                                 kind.plan.key};
  add_words(words, "--policy", options.policies);
  add_words(words, "--set", options.overrides);
  add_words(words, "--vary", options.vary);
  add_words(words, "--train", options.train);
  words.emplace_back("--no-progress");
  if (options.train_options.empty()) return words;
  words.emplace_back("--");
  words.insert(words.end(), options.train_options.begin(), options.train_options.end());
  return words;
}

Result<ArrayEnd> run_array(const SweepKind& kind, const SweepOptions& options,
                           const SweepFolder& folder) {
  return run_on_slurm(folder, {.array = {.at_once = options.array_limit,
                                         .cpus = options.cpus,
                                         .partition = options.partition,
                                         .time = options.time,
                                         .more = options.sbatch},
                               .points_per_task = options.per_task,
                               .task = task_words(kind, options, folder),
                               .wait = !options.no_wait,
                               .progress = !options.no_progress});
}

}  // namespace

Result<Done> carry_out(const SweepKind& kind, const SweepOptions& options) {
  for (const std::string& line : kind.plan.remarks) remark("note: " + line);
  if (!options.points.empty()) return run_task(kind, options);
  const auto folder = SweepFolder::open(options.out, kind.plan);
  if (!folder) return folder.error();
  if (options.slurm) {
    const auto end = run_array(kind, options, *folder);
    if (!end) return end.error();
    if (*end == ArrayEnd::left) return Done{};
    if (*end == ArrayEnd::cancelled)
      return Error{fmt::format(
          "--slurm: the array was cancelled; {} of {} points are missing, which the same command "
          "runs",
          folder->missing().size(), kind.plan.points.size())};
  } else if (auto done = run_here(kind, options, *folder); !done) {
    return done;
  }
  if (auto merged = kind.merge(*folder); !merged) return merged;
  remark(fmt::format("results are in {}", options.out));
  return tell_failures(*folder, folder->missing());
}

}  // namespace penstock
