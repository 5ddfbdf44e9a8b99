#include <fmt/format.h>

#include <algorithm>

#include "io/profiles/catalogue.h"
#include "io/scenario/sections.h"
#include "io/text/nearest.h"
#include "io/text/number.h"
#include "io/traces/origins.h"

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

void read_trace_file(TableReader& table, ScenarioDraft& draft) {
  std::filesystem::path path;
  if (!read_path(table, "trace", draft, path)) return;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    table.problem("trace", path.string() + ": no such file");
  else if (std::filesystem::is_directory(path, error))
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

void read_profile_file(TableReader& table, const std::string& name, ScenarioDraft& draft) {
  const std::filesystem::path path = draft.dir / name;
  auto profiles = read_profiles(path);
  if (!profiles) return table.problem("profiles", profiles.error().message);
  auto& all = draft.scenario.workload.profiles;
  all.insert(all.end(), profiles->begin(), profiles->end());
}

/// One file, or a list of them.
void read_profile_files(TableReader& table, ScenarioDraft& draft) {
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
    if (workload.has(key) && !workload.has("profiles") && !spec.draws_jobs())
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

void read_workload(TableReader& root, ScenarioDraft& draft) {
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

// [workload.origins]: where jobs come from, and what they bring.
namespace {

constexpr double kMostFilesGb = 1e6;
constexpr Range kSlackRange{.least = 1, .most = 1000};
constexpr Range kHoursAhead{.least = -12, .most = 14};

/// A number for each site of { california = 0.25, … }; false if there is no such table.
template <class Take>
bool read_by_site(TableReader& origins, std::string_view key, Range range,
                  const ScenarioDraft& draft, Take take) {
  auto table = origins.table(key, "{ SITE = 0.5, … }");
  if (!table) return false;
  const auto names = site_names(draft);
  for (const auto& [name, node] : table->raw()) {
    const auto site = std::ranges::find(names, name.str());
    double value = 0;
    if (site == names.end())
      table->problem(name.str(),
                     fmt::format("there is no such site; there are: {}{}", fmt::join(names, " "),
                                 did_you_mean(name.str(), names)));
    else if (table->number(name.str(), value, range))
      take(static_cast<std::size_t>(site - names.begin()), value);
  }
  return true;
}

void read_origin_weights(TableReader& table, const ScenarioDraft& draft, OriginSpec& spec) {
  for (OriginSpec::Place& place : spec.sites) place.weight = 1;
  if (!table.has("weights")) return;
  for (OriginSpec::Place& place : spec.sites) place.weight = 0;
  double sum = 0;
  const bool read = read_by_site(table, "weights", {.least = 0, .most = 1e9}, draft,
                                 [&](std::size_t site, double weight) {
                                   spec.sites[site].weight = weight;
                                   sum += weight;
                                 });
  if (read && sum <= 0 && draft.problems.empty())
    table.problem("weights", "are all 0, so no job could come from anywhere");
}

/// `local_hours = true`: by the clocks of the sites themselves.
void read_site_clocks(TableReader& table, const ScenarioDraft& draft, OriginSpec& spec) {
  if (!table.flag("local_hours", spec.by_hour) || !spec.by_hour) return;
  for (std::size_t i = 0; i < spec.sites.size(); ++i) {
    if (draft.places[i].clock)
      spec.sites[i].clock = *draft.places[i].clock;
    else if (spec.sites[i].weight > 0 && draft.problems.empty())
      table.problem("local_hours",
                    fmt::format("goes by the sites' clocks, but '{}', from where jobs come, has no "
                                "utc_offset",
                                draft.places[i].name));
  }
}

void read_hours(TableReader& table, const ScenarioDraft& draft, OriginSpec& spec) {
  const toml::node* node = table.get("local_hours");
  if (node != nullptr && node->is_boolean()) return read_site_clocks(table, draft, spec);
  std::vector<bool> named(spec.sites.size(), false);
  spec.by_hour =
      read_by_site(table, "local_hours", kHoursAhead, draft, [&](std::size_t site, double hours) {
        spec.sites[site].clock = {.ahead = round_duration(hours * 3600)};
        named[site] = true;
      });
  if (!spec.by_hour) return;
  for (std::size_t i = 0; i < named.size(); ++i)
    if (!named[i] && spec.sites[i].weight > 0 && draft.problems.empty())
      table.problem(
          "local_hours",
          fmt::format("says nothing about '{}', from where jobs come; possible: its hours "
                      "ahead of UTC, -12 to 14",
                      draft.places[i].name));
}

void read_file_size(TableReader& table, std::string_view key, double& gigabytes) {
  const auto size = table.quantity(key, Measure::size, 0);
  if (size && size->value > kMostFilesGb) return table.problem(key, "must be at most 1000 TB");
  if (size) gigabytes = size->value;
}

void read_files(TableReader& origins, OriginSpec& spec) {
  const toml::node* node = origins.get("files");
  if (!node || !node->is_table()) return read_file_size(origins, "files", spec.files_gb);
  auto table = origins.table("files");
  if (table->require("median")) read_file_size(*table, "median", spec.files_gb);
  if (table->require("sigma")) table->number("sigma", spec.files_sigma, {.least = 0, .most = 5});
  table->finish();
}

void read_checkpoint(TableReader& origins, OriginSpec& spec) {
  const toml::node* node = origins.get("checkpoint");
  if (!node || !node->is_table()) return read_file_size(origins, "checkpoint", spec.checkpoint_gb);
  auto table = origins.table("checkpoint");
  if (table->require("per_gpu")) read_file_size(*table, "per_gpu", spec.checkpoint_gb_per_gpu);
  table->finish();
}

/// { "1.1" = 0.2, "1.5" = 0.5, "2.0" = 0.3 }
void read_slack_table(TableReader& origins, OriginSpec& spec) {
  auto table = origins.table("slack");
  double sum = 0;
  for (const auto& [key, node] : table->raw()) {
    const auto factor = parse_number<double>(key.str());
    OriginSpec::Slack slack{.factor = factor ? *factor : 0};
    if (slack.factor < kSlackRange.least || slack.factor > kSlackRange.most)
      table->problem(key.str(), "must be named by a factor of the time asked for, 1 to 1000");
    if (table->number(key.str(), slack.weight, {.least = 0, .most = 1e9})) sum += slack.weight;
    spec.slacks.push_back(slack);
  }
  std::ranges::sort(spec.slacks, {}, &OriginSpec::Slack::factor);
  if (sum <= 0) origins.problem("slack", "has no weight above 0");
}

void read_origin_slack(TableReader& origins, OriginSpec& spec) {
  const toml::node* node = origins.get("slack");
  if (!node) return;
  if (node->is_table()) return read_slack_table(origins, spec);
  const auto* range = node->as_array();
  const bool two = range != nullptr && range->size() == 2;
  const auto low = two ? range->get(0)->value<double>() : std::nullopt;
  const auto high = two ? range->get(1)->value<double>() : std::nullopt;
  if (!low || !high || !(*low >= kSlackRange.least && *low <= *high && *high <= kSlackRange.most))
    return origins.problem(
        "slack",
        "must be two factors of the time asked for, 1 to 1000 and the smaller "
        "first, such as [1.1, 2.0], or a table such as { \"1.1\" = 0.2, \"2.0\" = "
        "0.8 }");
  spec.slack_range = {*low, *high};
}

}  // namespace

void read_origins(TableReader& root, ScenarioDraft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  const bool joined = root.has("network");
  auto table = workload.table("origins", R"({ files = "20 GB" })");
  if (!table) {
    if (joined && !workload.has("origins"))
      draft.scenario.notes.emplace_back(
          "no job has a home: [network] counts only with [workload.origins]");
    return;
  }
  if (!joined) workload.problem("origins", "needs [network], which says how files get about");
  OriginSpec spec{.seed = draft.scenario.seed, .skip = draft.scenario.workload.options.skip};
  spec.sites.resize(draft.places.size());
  read_origin_weights(*table, draft, spec);
  read_hours(*table, draft, spec);
  read_files(*table, spec);
  read_checkpoint(*table, spec);
  read_origin_slack(*table, spec);
  table->finish();
  draft.scenario.workload.origins = std::move(spec);
}

}  // namespace penstock
