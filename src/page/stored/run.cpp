#include "page/stored/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/text/file.h"
#include "report/terminal/table.h"

namespace penstock {

// summary.json

namespace {

using Json = nlohmann::ordered_json;

/// What is a number, a text, true, false or null.
Json plain_members(const Json& object) {
  Json plain = Json::object();
  for (const auto& [key, value] : object.items())
    if (value.is_primitive()) plain[key] = value;
  return plain;
}

/// The site's own measures, and its nodes as far as they could be read.
Json site_json(const Json& object, const SiteSummary& site) {
  Json json = plain_members(object);
  json.erase("node_gpus");
  if (site.node_runs.empty()) return json;
  Json runs = Json::array();
  for (const NodeRun& run : site.node_runs)
    runs.push_back({run.nodes, run.gpus, run.type, run.per_rack});
  json["node_gpus"] = std::move(runs);
  return json;
}

Json sites_json(const Json& run, const RunSummary& summary) {
  Json sites = Json::array();
  const auto found = run.find("sites");
  if (found == run.end() || !found->is_array()) return sites;
  std::size_t i = 0;
  for (const Json& site : *found)
    if (site.is_object()) sites.push_back(site_json(site, summary.sites[i++]));
  return sites;
}

/// A name of a folder below, not a way out of the results.
bool is_below(const std::string& dir) {
  const std::filesystem::path path(dir);
  return !path.is_absolute() && std::ranges::find(path, "..") == path.end();
}

/// Where the files of a run are. Older versions do not say; they are beside summary.json if
/// there was one run.
Result<Done> find_files(const PageSource& source, std::size_t runs, StoredRun& run) {
  std::error_code error;
  const bool old = !run.summary.dir && runs == 1 && source.files &&
                   std::filesystem::exists(*source.files / "jobs.csv", error);
  if (!source.files || (!run.summary.dir && !old)) return Done{};
  const std::string dir = run.summary.dir.value_or("");
  if (!is_below(dir))
    return Error{fmt::format("{}/summary.json: dir: '{}' is not below it", source.shown, dir)};
  run.dir = *source.files / dir;
  run.shown_dir = dir.empty() ? source.shown : source.shown + "/" + dir;
  return Done{};
}

/// What a sweep changed outside the policy has a dot in its name.
std::map<std::string, std::string> dotted(const RunSummary& run) {
  std::map<std::string, std::string> swept;
  for (const auto& [name, value] : run.options)
    if (name.find('.') != std::string::npos) swept.emplace(name, value);
  return swept;
}

Result<Done> add_sweep(const PageSource& source, std::vector<StoredRun>& runs) {
  if (!source.sweep) {
    for (StoredRun& run : runs) run.swept = dotted(run.summary);
    return Done{};
  }
  const StoredSweep& sweep = *source.sweep;
  if (sweep.points.size() != runs.size())
    return Error{
        fmt::format("{}/sweep.csv: has {} points where summary.json has {} runs; the same "
                    "`penstock sweep` puts both together again",
                    source.shown, sweep.points.size(), runs.size())};
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      runs[i].swept[sweep.keys[k]] = sweep.points[i][k];
  return Done{};
}

}  // namespace

Result<StoredSource> read_source(const PageSource& source, std::size_t index) {
  auto summary = parse_summary(source.summary);
  if (!summary) return std::move(summary).error().in(source.shown + "/summary.json");
  const Json root = Json::parse(source.summary, nullptr, false);
  StoredSource stored{.head = std::move(summary->head)};
  if (const auto found = root.find("definitions"); found != root.end() && found->is_object())
    stored.definitions = plain_members(*found);
  for (std::size_t i = 0; i < summary->runs.size(); ++i) {
    const Json& object = root["runs"][i];
    StoredRun run{.source = index, .summary = std::move(summary->runs[i])};
    run.measures = plain_members(object);
    run.sites = sites_json(object, run.summary);
    for (const SiteSummary& site : run.summary.sites) run.site_names.push_back(site.name);
    if (auto found = find_files(source, summary->runs.size(), run); !found)
      return std::move(found).error();
    stored.runs.push_back(std::move(run));
  }
  if (auto added = add_sweep(source, stored.runs); !added) return std::move(added).error();
  return stored;
}

void assign_labels(std::span<StoredRun> runs, std::span<const PageSource> sources) {
  std::vector<RunSummary> summaries;
  for (const StoredRun& run : runs)
    summaries.push_back({.policy = run.summary.policy, .options = run.summary.options});
  std::vector<std::string> labels = run_labels(summaries);
  std::vector<std::size_t> seen(sources.size(), 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const PageSource& source = sources[runs[i].source];
    const std::size_t place = seen[runs[i].source]++;
    if (place < source.labels.size()) labels[i] = source.labels[place];
  }
  std::multiset<std::string> all(labels.begin(), labels.end());
  std::set<std::string> used;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string label = labels[i];
    if (sources.size() > 1 && all.count(label) > 1) label += " · " + sources[runs[i].source].shown;
    const std::string plain = label;
    for (int n = 2; !used.insert(label).second; ++n) label = fmt::format("{} #{}", plain, n);
    runs[i].label = label;
  }
}

// The files of a run

namespace {

/// A text of this size keeps its place in memory when it is moved, so that rows may point to it.
constexpr std::size_t kOnHeap = 64;

/// The text of a file, nothing if it is not there.
Result<std::optional<std::string>> maybe_read(const StoredRun& run, const char* name) {
  std::error_code error;
  if (!std::filesystem::exists(*run.dir / name, error)) return std::optional<std::string>{};
  auto text = read_file(*run.dir / name);
  if (!text) return std::move(text).error();
  return std::optional<std::string>(*std::move(text));
}

std::string shown(const StoredRun& run, const char* name) {
  return run.shown_dir + "/" + name;
}

Result<Done> check_count(const StoredRun& run, std::size_t rows) {
  const auto counted = run.summary.jobs_finished;
  if (!counted || static_cast<double>(rows) == *counted) return Done{};
  return Error{
      fmt::format("{}: has {} jobs where summary.json counts {} that finished: it is not whole",
                  shown(run, "jobs.csv"), rows, *counted)};
}

/// Moves what was parsed to where it belongs, or says why not.
template <class T>
Result<Done> keep(Result<T>&& parsed, std::optional<T>& to) {
  if (!parsed) return std::move(parsed).error();
  to = *std::move(parsed);
  return Done{};
}

Result<Done> parse_all(const StoredRun& run, RunTables& tables) {
  RunTexts& texts = tables.texts;
  for (auto* text : {&texts.jobs, &texts.stretches, &texts.timeline, &texts.reasons})
    if (*text) (*text)->reserve(kOnHeap);
  if (texts.jobs)
    if (auto done =
            keep(parse_jobs(*texts.jobs, shown(run, "jobs.csv"), run.site_names), tables.jobs);
        !done)
      return done;
  if (texts.stretches)
    if (auto done =
            keep(parse_stretches(*texts.stretches, shown(run, "stretches.csv")), tables.stretches);
        !done)
      return done;
  if (texts.timeline)
    if (auto done =
            keep(parse_timeline(*texts.timeline, shown(run, "timeline.csv"), run.site_names),
                 tables.timeline);
        !done)
      return done;
  if (texts.reasons)
    return keep(parse_reasons(*texts.reasons, shown(run, "reasons.csv")), tables.reasons);
  return Done{};
}

}  // namespace

Result<RunTables> parse_tables(const StoredRun& run, RunTexts texts) {
  RunTables tables{.texts = std::move(texts)};
  if (auto done = parse_all(run, tables); !done) return std::move(done).error();
  if (tables.jobs)
    if (auto fine = check_count(run, tables.jobs->size()); !fine) return std::move(fine).error();
  if (!tables.stretches)
    tables.notes.push_back(fmt::format(
        "{} has no stretches.csv, which older versions did not write: when each GPU was used is "
        "not shown.",
        run.shown_dir));
  if (!tables.timeline)
    tables.notes.push_back(fmt::format("{} has no timeline.csv.", run.shown_dir));
  return tables;
}

Result<RunTables> read_tables(const StoredRun& run) {
  if (!run.dir) return RunTables{};
  RunTexts texts;
  const auto take = [&](const char* name, std::optional<std::string>& into) -> Result<Done> {
    auto text = maybe_read(run, name);
    if (!text) return std::move(text).error();
    into = *std::move(text);
    return Done{};
  };
  if (auto done = take("jobs.csv", texts.jobs); !done) return std::move(done).error();
  if (auto done = take("stretches.csv", texts.stretches); !done) return std::move(done).error();
  if (auto done = take("timeline.csv", texts.timeline); !done) return std::move(done).error();
  if (auto done = take("reasons.csv", texts.reasons); !done) return std::move(done).error();
  if (!texts.jobs)
    return Error{shown(run, "jobs.csv") +
                 ": is not there although summary.json names the folder: it is not whole"};
  return parse_tables(run, std::move(texts));
}

}  // namespace penstock
