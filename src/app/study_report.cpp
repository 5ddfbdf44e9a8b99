#include "app/study_report.h"

#include <fmt/format.h>

#include "base/version.h"
#include "report/files/summary_json.h"

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

template <class Case, class SourceOf>
std::vector<PageSource> each(const std::vector<Case>& cases, const SourceOf& source_of_case) {
  std::vector<PageSource> sources;
  sources.reserve(cases.size());
  for (const Case& one : cases) sources.push_back(source_of_case(one));
  return sources;
}

}  // namespace

std::vector<PageSource> page_sources(const std::vector<StudyCase>& cases) {
  return each(cases, [](const StudyCase& one) {
    return source_of(fmt::format("{} at load {:.1f}", one.trace, one.load), "", runs_of(one));
  });
}

std::vector<PageSource> page_sources(const std::vector<AndreasCase>& cases) {
  return each(cases, [](const AndreasCase& one) {
    return source_of(
        fmt::format("{}, {} nodes, {}, seed {}", one.cluster, one.nodes, one.arrivals, one.seed),
        "", one.runs);
  });
}

std::vector<PageSource> page_sources(const std::vector<MarsWindow>& windows) {
  return each(windows, [](const MarsWindow& one) {
    return source_of(fmt::format("{}, {} window {}", one.workload, name_of(one.part), one.number),
                     "", one.runs);
  });
}

std::vector<PageSource> page_sources(const std::vector<GeoCase>& cases) {
  return each(cases, [](const GeoCase& one) {
    return source_of(
        fmt::format("{}, {} stretch {}", one.workload, name_of(one.period), one.number),
        one.currency, one.runs);
  });
}

}  // namespace penstock
