#include "app/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "app/home_run.h"
#include "app/progress_line.h"
#include "app/run_name.h"
#include "app/scenario_bounds.h"
#include "app/weights_origin.h"

namespace penstock {
namespace {

/// A directory name for each run, all different.
std::vector<std::string> directory_names(const std::vector<RunRequest>& runs) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const RunRequest& run : runs) {
    const std::string plain = safe_name(run_label(run.policy, run.prepared.swept));
    std::string name = plain;
    for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}-{}", plain, i);
    names.push_back(name);
  }
  return names;
}

Result<Done> give_directories(std::vector<RunRequest>& runs, const std::filesystem::path& dir) {
  const std::vector<std::string> names = directory_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].dir = runs.size() == 1 ? dir : dir / names[i];
    std::error_code error;
    std::filesystem::create_directories(*runs[i].dir, error);
    if (error) return Error{fmt::format("cannot write to {}: {}", dir.string(), error.message())};
  }
  return Done{};
}

/// Runs all requests on several threads; results are stored by index.
std::vector<std::optional<Result<RunSummary>>> run_all(const std::vector<RunRequest>& runs,
                                                       unsigned threads, ProgressLine& progress) {
  std::vector<std::optional<Result<RunSummary>>> results(runs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> left = runs.size();
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      results[i] = run_one(runs[i]);
      --left;
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, runs.size()); ++i)
    workers.emplace_back(work);
  progress.watch([&] { return left == 0; });
  workers.clear();
  return results;
}

/// Half as long again as the longest run of a combination.
Duration longer_than_all(const std::vector<RunRequest>& runs,
                         const std::vector<RunSummary>& summaries, const Prepared& prepared) {
  double longest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (&runs[i].prepared == &prepared)
      longest = std::max(longest, summaries[i].makespan_s.value_or(0));
  return round_duration(1.5 * longest);
}

/// Runs of one combination follow each other and share its bounds.
void add_gaps(const std::vector<RunRequest>& runs, std::vector<RunSummary>& summaries) {
  Bounds bounds;
  std::optional<double> utility;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Prepared& prepared = runs[i].prepared;
    if (i == 0 || &prepared != &runs[i - 1].prepared) {
      bounds = scenario_bounds(prepared.scenario, prepared.workload);
      utility = most_utility(prepared.scenario, prepared.workload, summaries[i],
                             longer_than_all(runs, summaries, prepared));
    }
    fill_gaps(summaries[i], bounds);
    summaries[i].bound_utility = utility;
  }
}

}  // namespace

Result<LoadedBatch> load_batch(const BatchRequest& request) {
  const auto combinations = combinations_of(request);
  if (!combinations) return combinations.error();
  LoadedBatch batch;
  for (const auto& swept : *combinations) {
    auto prepared = prepare(request, swept);
    if (!prepared) return std::move(prepared).error();
    batch.prepared.push_back(*std::move(prepared));
  }
  for (const auto& prepared : batch.prepared) {
    auto workload = load_workload(prepared->scenario);
    if (!workload) return std::move(workload).error();
    prepared->workload = *std::move(workload);
  }
  const Prepared& first = *batch.prepared.front();
  batch.remarks = first.scenario.notes;
  batch.remarks.insert(batch.remarks.end(), first.workload.remarks.begin(),
                       first.workload.remarks.end());
  std::ranges::move(foreign_weights(choices(first, request), first.scenario.name),
                    std::back_inserter(batch.remarks));
  return batch;
}

Result<std::vector<RunSummary>> run_batch(const LoadedBatch& batch, const BatchRequest& request,
                                          std::optional<std::filesystem::path> dir) {
  std::atomic<std::uint64_t> ended = 0;
  std::uint64_t expected = 0;
  std::vector<RunRequest> runs;
  for (const auto& prepared : batch.prepared)
    for (PolicyChoice& choice : choices(*prepared, request)) {
      runs.push_back({.prepared = *prepared,
                      .policy = std::move(choice),
                      .files = request.files,
                      .by_hour = request.by_hour,
                      .jobs_ended = &ended});
      expected += prepared->workload.count;
    }
  if (dir)
    if (auto given = give_directories(runs, *dir); !given) return std::move(given).error();

  ProgressLine progress(request.progress, ended, expected);
  std::vector<RunSummary> summaries;
  for (auto& result : run_all(runs, request.threads, progress)) {
    if (!*result) return std::move(*result).error();
    summaries.push_back(**std::move(result));
  }
  for (std::size_t i = 0; dir && i < runs.size(); ++i)
    summaries[i].dir = runs.size() == 1 ? "" : runs[i].dir->filename().string();
  if (auto done = add_utilities(runs, summaries); !done) return std::move(done).error();
  if (request.with_bound) add_gaps(runs, summaries);
  return summaries;
}

}  // namespace penstock
