#include <fmt/format.h>

#include "app/batch.h"
#include "serve/journal_trace.h"
#include "serve/learnt_models.h"

namespace penstock {
namespace {

/// As a text of TOML.
std::string as_text(const std::filesystem::path& path) {
  std::string text = "\"";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

/// Trainings get on as the daemon has seen them do.
Result<Done> use_learnt(const std::filesystem::path& path, Scenario& scenario) {
  auto journal = JournalReader::open(path);
  if (!journal) return std::move(journal).error();
  const auto learnt = last_learnt(*journal);
  if (!learnt) return learnt.error();
  const auto used = put_in(*learnt, scenario.workload.profiles);
  if (!used.empty())
    scenario.notes.push_back(
        fmt::format("{}: {} models are as the daemon has learnt them", path.string(), used.size()));
  return Done{};
}

}  // namespace

Result<Scenario> read_scenario_of(const BatchRequest& request,
                                  const std::vector<std::string>& overrides) {
  std::vector<std::string> all = overrides;
  if (!request.journal) return read_scenario(request.scenario, all, check_choice);
  all.push_back("workload.trace=" + as_text(*request.journal));
  all.push_back("workload.format=journal");
  if (!request.scenario.empty()) return read_scenario(request.scenario, all, check_choice);
  const auto beginnings = read_beginnings(*request.journal);
  if (!beginnings) return beginnings.error();
  const Beginning& last = beginnings->back();
  const auto lag = read_start_lag(*request.journal);
  if (!lag) return lag.error();
  if (*lag)  // before what the user says, which counts more
    all.insert(all.begin(), "costs.start=" + std::to_string(lag->value().count()) + " ms");
  const auto dir = request.journal->parent_path();
  auto scenario = parse_scenario(
      last.scenario, request.journal->string() + ":entry[" + std::to_string(last.entry) + "]",
      dir.empty() ? "." : dir, all, check_choice);
  if (!scenario) return scenario;
  if (auto done = use_learnt(*request.journal, *scenario); !done) return std::move(done).error();
  return scenario;
}

}  // namespace penstock
