#include "page/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/text/nearest.h"
#include "io/text/number.h"
#include "page/run_facts.h"
#include "report/measures/pareto.h"

namespace penstock {

// Bytes and texts of a page

using Json = nlohmann::ordered_json;

std::size_t Blob::place(const std::string& bytes) {
  const std::size_t hash = std::hash<std::string>{}(bytes);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (bytes_.compare(at->second.first, at->second.second, bytes) == 0) return at->second.first;
  bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
  const std::size_t begin = bytes_.size();
  bytes_ += bytes;
  by_hash_.emplace(hash, std::pair(begin, bytes.size()));
  return begin;
}

Json Blob::add(const PackedColumn& column) {
  Json json;
  if (column.encoding == "const") {
    json = {{"enc", "const"}, {"rows", column.rows}, {"value", nullptr}};
    if (column.value) json["value"] = *column.value;
    return json;
  }
  return {{"at", place(column.bytes)}, {"enc", column.encoding}, {"rows", column.rows}};
}

Json Blob::add(const PackedTable& table) {
  Json columns = Json::object();
  for (const auto& [name, column] : table.columns) columns[std::string(name)] = add(column);
  return {{"rows", table.rows}, {"columns", std::move(columns)}};
}

std::int32_t Dictionary::number(std::string_view text) {
  const auto [found, added] =
      numbers_.emplace(std::string(text), static_cast<std::int32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return found->second;
}

// The head

namespace {

using Json = nlohmann::ordered_json;

/// Who was submitted.
PackedTable pack_population(const Population& population, TimeUnit unit, Dictionary& texts) {
  PackedTable table{.rows = population.jobs.size()};
  const auto values = [&](const auto& of) {
    std::vector<std::int32_t> all;
    all.reserve(table.rows);
    for (const StoredJob* job : population.jobs) all.push_back(of(*job));
    return all;
  };
  const auto text = [&](std::string_view name, std::string_view StoredJob::* field) {
    table.columns.emplace_back(
        name, pack_wide(values([&](const StoredJob& job) { return texts.number(job.*field); })));
  };
  text("name", &StoredJob::name);
  text("kind", &StoredJob::kind);
  text("user", &StoredJob::user);
  table.columns.emplace_back(
      "submitted",
      pack_growing(values([&](const StoredJob& job) { return unit.of(job.submitted); })));
  table.columns.emplace_back("gpus", pack_wide(values([](const StoredJob& job) {
                               return static_cast<std::int32_t>(job.gpus & INT32_MAX);
                             })));
  table.columns.emplace_back(
      "requested", pack_wide(values([&](const StoredJob& job) { return unit.of(job.requested); })));
  table.columns.emplace_back("deadline", pack_wide(values([&](const StoredJob& job) {
                               if (!job.deadline) return kNoWhole;
                               return unit.of(*job.deadline - job.submitted);
                             })));
  text("home", &StoredJob::home);
  return table;
}

Json timeline_json(const std::vector<PackedSite>& timeline, Blob& blob) {
  Json sites = Json::array();
  for (const PackedSite& site : timeline) {
    Json json = {{"site", site.site}};
    json.update(blob.add(site.samples));
    if (site.thinned > 1) json["thinned"] = site.thinned;
    sites.push_back(std::move(json));
  }
  return {{"sites", std::move(sites)}};
}

/// A value of a sweep as a number where it is one.
Json swept_value(const std::map<std::string, std::string>& swept, const std::string& key) {
  const auto found = swept.find(key);
  if (found == swept.end()) return nullptr;
  if (const auto number = parse_number<double>(found->second)) return *number;
  return found->second;
}

/// The keys whose values differ, and these for every run; null if nothing varies.
Json sweep_json(const std::vector<StoredRun>& runs) {
  std::set<std::string> all;
  for (const StoredRun& run : runs)
    for (const auto& [key, value] : run.swept) all.insert(key);
  Json keys = Json::array();
  Json values = Json::array();
  for (const std::string& key : all) {
    Json of_runs = Json::array();
    for (const StoredRun& run : runs) of_runs.push_back(swept_value(run.swept, key));
    const bool varies =
        std::ranges::any_of(of_runs, [&](const Json& value) { return value != of_runs.front(); });
    if (!varies) continue;
    keys.push_back(key);
    values.push_back(std::move(of_runs));
  }
  if (keys.empty()) return nullptr;
  return {{"keys", std::move(keys)}, {"values", std::move(values)}};
}

/// Pairs of measures that at least two runs have.
Json pareto_json(const std::vector<StoredRun>& runs) {
  Json pairs = Json::array();
  for (const ParetoPair& pair : usual_pairs()) {
    const auto both = std::ranges::count_if(runs, [&](const StoredRun& run) {
      return (run.summary.*pair.x->value).has_value() && (run.summary.*pair.y->value).has_value();
    });
    if (both > 1) pairs.push_back({{"x", pair.x->name}, {"y", pair.y->name}});
  }
  return pairs;
}

/// Writes the head of a page.
class HeadWriter {
 public:
  HeadWriter(const PageHead& head, const PackedRuns& packed, const PageLimits& limits, Blob& blob)
      : head_(head), packed_(packed), limits_(limits), blob_(blob), notes_(head.notes) {}

  Json write(std::span<const RunTables> tables) {
    Json populations = Json::array();
    for (std::size_t i = 0; i < packed_.populations.size(); ++i)
      populations.push_back(
          blob_.add(pack_population(packed_.populations[i], packed_.units[i], texts_)));
    Json runs = Json::array();
    for (std::size_t i = 0; i < head_.runs.size(); ++i)
      runs.push_back(run_json(head_.runs[i], tables[i], packed_.runs[i]));
    notes_.insert(notes_.end(), packed_.notes.begin(), packed_.notes.end());
    return {{"format", "penstock-report"},
            {"version", 1},
            {"made_by", head_.version},
            {"made_at", nullptr},
            {"baseline", head_.baseline},
            {"notes", notes_},
            {"inputs", head_.inputs},
            {"texts", texts_.texts()},
            {"runs", std::move(runs)},
            {"populations", std::move(populations)},
            {"pareto", pareto_json(head_.runs)},
            {"sweep", sweep_json(head_.runs)}};
  }

 private:
  Json run_json(const StoredRun& run, const RunTables& tables, const PackedRun& packed) {
    note_run(run, tables);
    Json json = {{"input", run.source}, {"label", run.label}, {"policy", run.summary.policy}};
    json["options"] = run.summary.options;
    json["summary"] = run.measures;
    json["sites"] = run.sites;
    json["time_origin"] =
        run.summary.time_origin ? Json(format_time(*run.summary.time_origin)) : Json(nullptr);
    json["time_unit_s"] = packed.unit.seconds_each();
    json["population"] = packed.population ? Json(*packed.population) : Json(nullptr);
    json["jobs"] = packed.jobs ? blob_.add(*packed.jobs) : Json(nullptr);
    json["stretches"] = nullptr;
    if (packed.stretches) {
      json["stretches"] = blob_.add(*packed.stretches);
      json["stretches"]["left_out"] = packed.stretches->left_out;
    }
    json["timeline"] = packed.timeline ? timeline_json(*packed.timeline, blob_) : Json(nullptr);
    json["reasons"] = reasons_json(run, tables, packed.unit);
    json["flows"] = flows_json(run, tables);
    json["budget"] = budget_json(run.summary);
    json["training"] = learning_json(run.summary);
    return json;
  }

  void note_run(const StoredRun& run, const RunTables& tables) {
    notes_.insert(notes_.end(), tables.notes.begin(), tables.notes.end());
    const auto finished = run.summary.jobs_finished;
    if (finished == 0) notes_.push_back(fmt::format("{}: no job finished.", run.label));
    const auto submitted = run.summary.jobs_submitted;
    if (finished && submitted && *finished > 0 && *finished < *submitted)
      notes_.push_back(fmt::format("{}: {} of {} jobs never ended.", run.label,
                                   *submitted - *finished, *submitted));
  }

  Json reasons_json(const StoredRun& run, const RunTables& tables, TimeUnit unit) {
    if (!tables.reasons) return nullptr;
    const std::size_t rows = std::min(tables.reasons->size(), limits_.reasons);
    if (rows < tables.reasons->size())
      notes_.push_back(fmt::format("{}: of {} reasons the first {} are on this page.", run.label,
                                   tables.reasons->size(), rows));
    std::vector<std::int32_t> times;
    std::vector<std::int32_t> words;
    for (const StoredReason& reason : std::span(*tables.reasons).first(rows)) {
      times.push_back(unit.of(reason.time));
      words.push_back(texts_.number(reason.text));
    }
    PackedTable table{.rows = rows};
    table.columns.emplace_back("time", pack_growing(times));
    table.columns.emplace_back("text", pack_wide(words));
    return blob_.add(table);
  }

  const PageHead& head_;
  const PackedRuns& packed_;
  const PageLimits& limits_;
  Blob& blob_;
  Dictionary texts_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Done> PageHead::add(const PageSource& given, StoredSource stored) {
  if (stored.runs.empty()) return Error{given.shown + "/summary.json: runs: there are none"};
  if (stored.head.version != version)
    notes.push_back(fmt::format("{} was written by version {} of Penstock, this page by {}.",
                                given.shown, stored.head.version, version));
  Json point = nullptr;
  for (const auto& [name, value] : stored.head.point) point[name] = value;
  inputs.push_back({{"dir", given.shown},
                    {"version", stored.head.version},
                    {"scenario", stored.head.scenario},
                    {"scenario_hash", stored.head.scenario_hash},
                    {"seed", stored.head.seed},
                    {"currency", stored.head.currency},
                    {"definitions", std::move(stored.definitions)},
                    {"point", std::move(point)}});
  for (StoredRun& run : stored.runs) runs.push_back(std::move(run));
  return Done{};
}

Result<Done> PageHead::choose_baseline(const std::string& wanted) {
  if (wanted.empty()) return Done{};
  const auto named = std::ranges::find(runs, wanted, &StoredRun::label);
  if (named != runs.end()) {
    baseline = static_cast<std::size_t>(named - runs.begin());
    return Done{};
  }
  const auto number = parse_number<std::size_t>(wanted);
  if (number && *number >= 1 && *number <= runs.size()) {
    baseline = *number - 1;
    return Done{};
  }
  std::vector<std::string_view> labels;
  labels.reserve(runs.size());
  for (const StoredRun& run : runs) labels.push_back(run.label);
  std::string few;
  for (std::size_t i = 0; i < std::min<std::size_t>(labels.size(), 20); ++i)
    few += fmt::format("{}'{}'", i == 0 ? "" : ", ", labels[i]);
  return Error{fmt::format("--baseline: there is no run '{}'; possible: 1 to {}, or {}{}", wanted,
                           runs.size(), few, did_you_mean(wanted, labels))};
}

std::string head_text(const PageHead& head, std::span<const RunTables> tables,
                      const PackedRuns& packed, const PageLimits& limits, Blob& blob) {
  return HeadWriter(head, packed, limits, blob)
      .write(tables)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace penstock
