#include "app/sweep_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/terminal_table.h"
#include "app/write_report.h"
#include "io/text/file.h"
#include "report/stored_summary.h"
#include "report/sweep_csv.h"

namespace penstock {
namespace {

/// The points that are there, in the order of the plan.
struct Merged {
  SummaryHead head{};  ///< of the first
  std::vector<RunSummary> runs{};
  std::vector<PointColumns> columns{};
};

std::string fact(const SummaryHead& head, std::string_view name) {
  const auto found = std::ranges::find(head.point, name, [](const auto& f) { return f.first; });
  return found == head.point.end() ? std::string() : found->second;
}

PointColumns columns_of(const SweepPlan& plan, const SweepPoint& point, const SummaryHead& head) {
  PointColumns columns{{"point", point.folder}, {"policy", fact(head, "policy")}};
  for (auto& change : changes_of(plan, point))
    if (change.first != "seed") columns.push_back(std::move(change));
  columns.emplace_back("seed", fmt::format("{}", head.seed));
  return columns;
}

Result<Merged> read_points(const SweepFolder& folder) {
  const SweepPlan& plan = folder.plan();
  Merged merged;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!folder.has(i)) continue;
    const auto text = folder.read(i);
    if (!text) return text.error();
    auto stored = parse_summary(*text);
    if (stored && stored->runs.size() != 1) stored = Error{"must hold one run"};
    if (!stored) return std::move(stored).error().in((folder.of(i) / "summary.json").string());
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

namespace {

/// As the files have it that were just written.
void report_points(const SweepFolder& folder) {
  const auto source = open_source(folder.path(), folder.path().filename().string());
  if (source) add_report(folder.path(), std::span(&*source, 1));
}

}  // namespace

Result<Done> merge_simulations(const SweepFolder& folder, const MergeOptions& options) {
  const auto merged = read_points(folder);
  if (!merged) return merged.error();
  if (merged->runs.empty()) return Done{};
  const std::vector<ParetoFront> fronts = fronts_of(merged->runs, options.pairs);
  const std::string summary = summary_json(merged->head, merged->runs);
  if (auto done = replace_file(folder.path() / "summary.json", summary); !done) return done;
  const std::string csv = sweep_csv(merged->columns, merged->runs, fronts);
  if (auto done = replace_file(folder.path() / "sweep.csv", csv); !done) return done;
  if (options.report) report_points(folder);
  if (options.json) {
    fmt::print("{}", summary);
    return Done{};
  }
  TableStyle style = stdout_style(merged->head.currency);
  if (!fronts.empty() && merged->runs.size() > 1)
    style.words.push_back({"fronts", front_marks(merged->runs.size(), fronts)});
  fmt::print("{}", render_table(merged->runs, style));
  if (!style.words.empty()) fmt::print("{}", front_legend(fronts));
  return Done{};
}

}  // namespace penstock
