#include "app/study_report.h"

#include <fmt/format.h>

#include "app/version.h"
#include "report/summary_json.h"

namespace penstock {
namespace {

/// Runs of one case with the names that the study gives them.
PageSource source_of(const std::string& name, const std::string& currency,
                     const std::vector<MethodRun>& runs) {
  std::vector<RunSummary> summaries;
  PageSource source{.shown = name};
  for (const auto& [method, run] : runs) {
    source.labels.push_back(method);
    summaries.push_back(run);
  }
  source.summary =
      summary_json({.version = kVersion, .scenario = name, .currency = currency}, summaries);
  return source;
}

std::vector<MethodRun> runs_of(const StudyCase& each) {
  std::vector<MethodRun> runs;
  for (const Duel& duel : each.duels) {
    runs.push_back({duel.rival, duel.theirs});
    runs.push_back({"powerflow against " + duel.rival, duel.ours});
  }
  for (const RunSummary& run : each.front)
    runs.push_back({"powerflow energy_price=" + run.options.at("energy_price"), run});
  return runs;
}

}  // namespace

std::vector<PageSource> page_sources(const std::vector<StudyCase>& cases) {
  std::vector<PageSource> sources;
  for (const StudyCase& each : cases)
    sources.push_back(
        source_of(fmt::format("{} at load {:.1f}", each.trace, each.load), "", runs_of(each)));
  return sources;
}

std::vector<PageSource> page_sources(const std::vector<AndreasCase>& cases) {
  std::vector<PageSource> sources;
  for (const AndreasCase& each : cases)
    sources.push_back(source_of(fmt::format("{}, {} nodes, {}, seed {}", each.cluster, each.nodes,
                                            each.arrivals, each.seed),
                                "", each.runs));
  return sources;
}

std::vector<PageSource> page_sources(const std::vector<MarsWindow>& windows) {
  std::vector<PageSource> sources;
  for (const MarsWindow& each : windows)
    sources.push_back(
        source_of(fmt::format("{}, {} window {}", each.workload, name_of(each.part), each.number),
                  "", each.runs));
  return sources;
}

std::vector<PageSource> page_sources(const std::vector<GeoCase>& cases) {
  std::vector<PageSource> sources;
  for (const GeoCase& each : cases)
    sources.push_back(source_of(
        fmt::format("{}, {} stretch {}", each.workload, name_of(each.period), each.number),
        each.currency, each.runs));
  return sources;
}

}  // namespace penstock
