#include <fmt/format.h>

#include <algorithm>

#include "io/profiles/catalogue.h"
#include "io/scenario/sections.h"
#include "io/text/nearest.h"

namespace penstock {
namespace {

void read_format(TableReader& table, std::string& format) {
  std::vector<std::string_view> names;
  for (const TraceFormat& known : all_trace_formats()) names.push_back(known.name);
  if (table.has("generate")) names = {"generated"};
  if (table.has("workflows")) names = {"wfformat"};
  const std::string possible = fmt::format("there are: {}", fmt::join(names, " "));
  const bool made = table.has("generate") || table.has("workflows");
  if (table.has("trace") && !made && !table.require("format", possible)) return;
  if (!table.text("format", format)) return;
  if (std::ranges::find(names, format) == names.end())
    table.problem("format", fmt::format("there is no format '{}'; {}{}", format, possible,
                                        did_you_mean(format, names)));
}

void read_trace_file(TableReader& table, Draft& draft) {
  std::filesystem::path path;
  if (!read_path(table, "trace", draft, path)) return;
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble))
    table.problem("trace", path.string() + ": no such file");
  else if (std::filesystem::is_directory(path, trouble))
    table.problem("trace", path.string() + ": is a directory, not a file");
  draft.scenario.workload.trace = std::move(path);
}

void read_options(TableReader& table, TraceOptions& options) {
  std::uint64_t limit = 0;
  std::uint32_t gpus_max = 0;
  table.whole("skip", options.skip, {.least = 0, .most = 4294967295.0});
  if (table.whole("limit", limit, {.least = 1})) options.limit = limit;
  if (table.whole("gpus_max", gpus_max, {.least = 1})) options.gpus_max = gpus_max;
  Duration min_duration{};
  if (table.duration("min_duration", min_duration)) options.min_duration = min_duration;
  table.time("start", options.start);
  table.time("from", options.from);
  table.time("until", options.until);
  if (options.from && options.until && *options.from >= *options.until)
    table.problem("until", "is not after workload.from");
  table.number("load", options.load, {.least = 0.001, .most = 1000});
  table.number("request_factor", options.request_factor, {.least = 1, .most = 1e6});
  table.choice("rows", options.strict, {{"strict", true}, {"lenient", false}});
}

void read_profile_file(TableReader& table, const std::string& name, Draft& draft) {
  const std::filesystem::path path = draft.dir / name;
  auto profiles = read_profiles(path);
  if (!profiles) return table.problem("profiles", profiles.error().message);
  auto& all = draft.scenario.workload.profiles;
  all.insert(all.end(), profiles->begin(), profiles->end());
}

/// One file, or a list of them.
void read_profile_files(TableReader& table, Draft& draft) {
  const toml::node* node = table.get("profiles");
  if (node == nullptr) return;
  if (const auto* list = node->as_array()) {
    for (const toml::node& each : *list) {
      const auto name = each.value<std::string>();
      if (!name) return table.problem("profiles", "must be a path or a list of paths");
      read_profile_file(table, *name, draft);
    }
    return;
  }
  std::string name;
  if (table.text("profiles", name)) read_profile_file(table, name, draft);
}

void read_truth(TableReader& workload, WorkloadSpec& spec) {
  auto table = workload.table("truth", R"({ kind = "noisy", spread = 0.2 })");
  if (table) {
    bool noisy = false;
    const bool has_kind = table->require("kind", "there are: exact noisy") &&
                          table->choice("kind", noisy, {{"exact", false}, {"noisy", true}});
    spec.refit = noisy;
    table->number("spread", spec.truth_spread, {.least = 0, .most = 2});
    table->number("instrument", spec.instrument_spread, {.least = 0, .most = 1});
    // A user who does not know the work cannot have asked for the right time.
    if (table->number("jobs", spec.job_spread, {.least = 0, .most = 2}) && spec.job_spread > 0 &&
        !workload.has("over_request"))
      spec.over_request = OverRequest::extend;
    if (has_kind && !noisy &&
        (table->has("spread") || table->has("instrument") || table->has("jobs")))
      table->problem("kind", "is exact, so there is no spread");
    table->finish();
  }
}

/// What policies believe to begin with, and whether they learn.
void read_belief(TableReader& workload, WorkloadSpec& spec) {
  workload.choice("belief", spec.guessed, {{"catalogue", false}, {"profiled", true}});
  if (spec.guessed) spec.refit = true;
  workload.choice("refit", spec.refit, {{"never", false}, {"online", true}});
  if (spec.guessed && !spec.refit)
    workload.problem("refit", "is never, so workload.belief cannot be profiled");
  for (const std::string_view key : {"truth", "belief", "refit"})
    if (workload.has(key) && !workload.has("profiles") && spec.format != "andreas")
      workload.problem(key, "is about models, so workload.profiles must name some");
}

/// Jobs come from one place.
void check_sources(TableReader& table) {
  std::string_view first;
  for (const std::string_view key : {"trace", "generate", "workflows"}) {
    if (!table.has(key)) continue;
    if (!first.empty())
      table.problem(key,
                    fmt::format("stands beside workload.{}; jobs come from one of them", first));
    first = key;
  }
  if (first.empty()) table.require("trace", "or write [workload.generate] or [workload.workflows]");
}

}  // namespace

void read_workload(TableReader& root, Draft& draft) {
  if (!draft.has_jobs && !root.has("workload")) return;
  if (!root.require("workload",
                    "write [workload] with trace and format, with generate or with workflows"))
    return;
  auto table = root.table("workload");
  if (!table) return;
  WorkloadSpec& workload = draft.scenario.workload;
  workload.options.seed = draft.scenario.seed;
  if (draft.has_jobs) check_sources(*table);
  read_trace_file(*table, draft);
  read_format(*table, workload.format);
  read_options(*table, workload.options);
  if (workload.format == "journal") workload.over_request = OverRequest::extend;  // as they ran
  table->choice("over_request", workload.over_request,
                {{"kill", OverRequest::kill}, {"extend", OverRequest::extend}});
  read_profile_files(*table, draft);
  read_truth(*table, workload);
  read_belief(*table, workload);
  table->has("andreas");  // tables of their own, read when the machines are known
  table->has("sharing");
  table->has("origins");
  table->choice("oversized", workload.drop_oversized, {{"error", false}, {"drop", true}});
  table->finish();
}

}  // namespace penstock
