#include "io/scenario/scenario.h"

#include <fmt/format.h>

#include "io/scenario/overrides.h"
#include "io/scenario/scenario_without_jobs.h"
#include "io/scenario/sections.h"
#include "io/text/file.h"

namespace penstock {
namespace {

/// FNV-1a over the text and every override.
std::string hash_of(std::string_view text, std::span<const std::string> overrides) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  add(text);
  for (const std::string& override : overrides) add("\n--set " + override);
  return fmt::format("{:016x}", hash);
}

void read_all(const toml::table& table, const PolicyCheck& check, Draft& draft) {
  TableReader root(table, "", draft.problems);
  root.text("name", draft.scenario.name);
  root.whole("seed", draft.scenario.seed);
  read_currency(root, draft);
  read_workload(root, draft);
  read_gpu_types(root, draft);
  read_sites(root, draft);
  read_generator(root, draft);
  read_workflows(root, draft);
  read_drawn_jobs(root, draft);
  read_sharing(root, draft);
  read_network(root, draft);
  read_origins(root, draft);
  read_policies(root, check, draft);
  read_costs(root, draft);
  read_utility(root, draft);
  read_failures(root, draft);
  read_sweep(root, draft);
  settle_currency(draft);
  root.finish();
}

}  // namespace

bool read_path(TableReader& table, std::string_view key, const Draft& draft,
               std::filesystem::path& path) {
  std::string text;
  if (!table.text(key, text)) return false;
  if (text.empty()) table.problem(key, "is empty");
  path = draft.dir / text;
  return !text.empty();
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                const std::filesystem::path& dir,
                                std::span<const std::string> overrides, const PolicyCheck& check) {
  auto table = parse_toml(text, file);
  if (!table) return table.error();
  for (const std::string& override : overrides) {
    const auto done = apply_override(*table, override);
    if (!done) return done.error();
  }
  Draft draft{.dir = dir, .problems = ProblemList(file)};
  draft.scenario.hash = hash_of(text, overrides);
  draft.scenario.name = std::filesystem::path(file).stem().string();
  read_all(*table, check, draft);
  if (!draft.problems.empty()) return draft.problems.as_error();
  return std::move(draft.scenario);
}

Result<Scenario> scenario_without_jobs(const toml::table& table, const std::string& file,
                                       const std::filesystem::path& dir, const PolicyCheck& check) {
  Draft draft{.dir = dir, .problems = ProblemList(file), .has_jobs = false};
  draft.scenario.name = std::filesystem::path(file).stem().string();
  read_all(table, check, draft);
  if (!draft.problems.empty()) return draft.problems.as_error();
  return std::move(draft.scenario);
}

Result<Scenario> read_scenario(const std::filesystem::path& path,
                               std::span<const std::string> overrides, const PolicyCheck& check) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_scenario(*text, path.string(), path.parent_path(), overrides, check);
}

Result<Done> check_coverage(const Scenario& scenario, Time first, Time last) {
  std::vector<std::string> problems;
  for (const SignalSpan& span : scenario.spans) {
    if (span.from > first)
      problems.push_back(fmt::format(
          "{}: {} begins at {}, after the first job at {}; possible: a later workload.start or "
          "workload.from, or a longer series",
          span.where, span.file, format_time(span.from), format_time(first)));
    if (span.until && *span.until <= last)
      problems.push_back(fmt::format(
          "{}: {} ends at {}, before the last job comes at {}; possible: after_end = \"hold\" or "
          "\"repeat\", an earlier workload.start, workload.limit, or a longer series",
          span.where, span.file, format_time(*span.until), format_time(last)));
  }
  if (!problems.empty()) return Error{fmt::format("{}", fmt::join(problems, "\n"))};
  return Done{};
}

}  // namespace penstock
