#include "experiment/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/file.h"
#include "report/files/summary_json.h"
#include "report/measures/pareto.h"

namespace penstock {
namespace {

/// Runs, and what sweep.csv says of each beside its measures.
struct StoredPoints {
  SummaryHead head{};  ///< of the first
  std::vector<RunSummary> runs{};
  std::vector<PointColumns> columns{};
};

std::string fact_of(const SummaryHead& head, std::string_view name) {
  const auto found = std::ranges::find(head.point, name, [](const auto& f) { return f.first; });
  return found == head.point.end() ? std::string() : found->second;
}

PointColumns columns_of(const SweepPlan& plan, const SweepPoint& point, const SummaryHead& head) {
  PointColumns columns{{"point", point.folder}, {"policy", fact_of(head, "policy")}};
  for (auto& change : changes_of(plan, point))
    if (change.first != "seed") columns.push_back(std::move(change));
  columns.emplace_back("seed", fmt::format("{}", head.seed));
  return columns;
}

Result<StoredPoints> read_stored_points(const SweepFolder& folder) {
  const SweepPlan& plan = folder.plan();
  StoredPoints merged;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!folder.has(i)) continue;
    const auto text = folder.read(i);
    if (!text) return text.error();
    auto stored = parse_summary(*text);
    if (stored && stored->runs.size() != 1) stored = Error{"must hold one run"};
    if (!stored)
      return std::move(stored).error().in((folder.point_path(i) / "summary.json").string());
    merged.columns.push_back(columns_of(plan, plan.points[i], stored->head));
    if (merged.runs.empty()) merged.head = stored->head;
    merged.runs.push_back(std::move(stored->runs.front()));
  }
  merged.head.point.clear();
  return merged;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> changes_of(const SweepPlan& plan,
                                                            const SweepPoint& point) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (const std::string& change : plan.combinations[point.combination]) {
    const std::size_t equals = change.find('=');
    changes.emplace_back(change.substr(0, equals), change.substr(equals + 1));
  }
  return changes;
}

Result<MergedSweep> merge_simulations(const SweepFolder& folder,
                                      const std::vector<ParetoPair>& pairs) {
  auto points = read_stored_points(folder);
  if (!points) return std::move(points).error();
  if (points->runs.empty()) return MergedSweep{};
  MergedSweep merged{.head = std::move(points->head), .runs = std::move(points->runs)};
  merged.fronts = fronts_of(merged.runs, pairs);
  merged.summary = summary_json(merged.head, merged.runs);
  if (auto done = replace_file(folder.path() / "summary.json", merged.summary); !done)
    return std::move(done).error();
  const std::string csv = sweep_csv(points->columns, merged.runs, merged.fronts);
  if (auto done = replace_file(folder.path() / "sweep.csv", csv); !done)
    return std::move(done).error();
  return merged;
}

}  // namespace penstock
