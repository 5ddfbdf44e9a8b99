#include "experiment/run_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "experiment/run_details.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json job_action(std::string_view what, JobId job, const State& state) {
  return {{"do", what}, {"job", job.index}, {"name", state.job(job).job.name}};
}

void add_place(Json& json, const Placement& where) {
  Json ranges = Json::array();
  for (const GpuRange& range : where)
    ranges.push_back({range.first.index, range.first.index + range.count - 1});
  json["gpus"] = ranges;
}

void add_knobs(Json& json, const Knobs& knobs) {
  if (knobs.clock_mhz) json["clock_mhz"] = *knobs.clock_mhz;
  if (knobs.batch) json["batch"] = *knobs.batch;
}

Json to_json(const Start& a, const State& state) {
  Json json = job_action("start", a.job, state);
  add_place(json, a.where);
  add_knobs(json, a.knobs);
  return json;
}
Json to_json(const Preempt& a, const State& state) {
  return job_action("preempt", a.job, state);
}
Json to_json(const Resize& a, const State& state) {
  Json json = job_action("resize", a.job, state);
  add_place(json, a.where);
  add_knobs(json, a.knobs);
  return json;
}
Json to_json(const Migrate& a, const State& state) {
  Json json = job_action("migrate", a.job, state);
  add_place(json, a.where);
  return json;
}
Json to_json(const SetClock& a, const State& state) {
  Json json = job_action("set-clock", a.job, state);
  json["clock_mhz"] = a.clock_mhz;
  return json;
}
Json to_json(const SetBatch& a, const State& state) {
  Json json = job_action("set-batch", a.job, state);
  json["batch"] = a.batch;
  return json;
}
Json to_json(const Sleep& a, const State& /*state*/) {
  return {{"do", "sleep"}, {"node", a.node.index}};
}
Json to_json(const Wake& a, const State& /*state*/) {
  return {{"do", "wake"}, {"node", a.node.index}};
}

Json to_json(const Route& a, const State& state) {
  Json json = job_action("route", a.job, state);
  json["from"] = state.cluster().sites[state.job(a.job).at.index].name;
  json["to"] = state.cluster().sites[a.to.index].name;
  return json;
}

}  // namespace

RunFiles::RunFiles(const Scenario& scenario, Time origin, Duration every, Tables tables,
                   std::optional<OutputFile> decisions)
    : scenario_(scenario),
      origin_(origin),
      every_(every),
      next_row_(origin),
      tables_(std::move(tables)),
      decisions_(std::move(decisions)) {}

Result<RunFiles::Tables> RunFiles::create_tables(const std::filesystem::path& dir,
                                                 const Scenario& scenario, Time origin) {
  std::vector<std::string> sites;
  sites.reserve(scenario.cluster.sites.size());
  for (const Site& site : scenario.cluster.sites) sites.push_back(site.name);
  auto jobs = OutputFile::create(dir / "jobs.csv");
  if (!jobs) return std::move(jobs).error();
  auto stretches = OutputFile::create(dir / "stretches.csv");
  if (!stretches) return std::move(stretches).error();
  auto timeline = OutputFile::create(dir / "timeline.csv");
  if (!timeline) return std::move(timeline).error();
  auto reasons = OutputFile::create(dir / "reasons.csv");
  if (!reasons) return std::move(reasons).error();
  return Tables{JobsCsv(*std::move(jobs), {.workload = scenario.name,
                                           .origin = origin,
                                           .sites = sites,
                                           .rents = scenario.cluster.rents()}),
                StretchesCsv(*std::move(stretches), origin, sites),
                TimelineCsv(*std::move(timeline), origin), ReasonsCsv(*std::move(reasons), origin)};
}

Result<RunFiles> RunFiles::create(const std::filesystem::path& dir, const Scenario& scenario,
                                  Time origin, const RunFileOptions& options) {
  auto tables = create_tables(dir, scenario, origin);
  if (!tables) return std::move(tables).error();
  std::optional<OutputFile> decisions;
  if (options.decisions) {
    auto file = OutputFile::create(dir / "decisions.jsonl");
    if (!file) return std::move(file).error();
    decisions = *std::move(file);
  }
  return RunFiles(scenario, origin, options.timeline_every, *std::move(tables),
                  std::move(decisions));
}

void RunFiles::before(Time now, const State& state, const Ledger& ledger) {
  for (; next_row_ <= now; next_row_ += every_)
    for (const TimelineRow& row : timeline_rows(next_row_, scenario_, state, ledger))
      tables_.timeline.add(row);
}

void RunFiles::decided(Time now, const Decision& decision, const State& state) {
  tables_.reasons.add(now, decision.reason);
  if (decisions_ && !decision.actions.empty()) log(now, decision, state);
}

void RunFiles::log(Time now, const Decision& decision, const State& state) {
  nlohmann::ordered_json actions = nlohmann::ordered_json::array();
  for (const Action& action : decision.actions)
    actions.push_back(std::visit([&](const auto& a) { return to_json(a, state); }, action));
  nlohmann::ordered_json line = {{"time_s", seconds(now - origin_)},
                                 {"queued_jobs", state.queue().size()},
                                 {"running_jobs", state.running().size()},
                                 {"actions", std::move(actions)}};
  if (!decision.reason.empty()) line["reason"] = decision.reason;
  for (const JobReason& each : decision.because)
    line["because"].push_back({{"job", each.job.index}, {"text", each.text}});
  decisions_->text() += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  decisions_->flush_if_full();
}

Result<Done> RunFiles::close() {
  if (auto done = tables_.jobs.close(); !done) return done;
  if (auto done = tables_.stretches.close(); !done) return done;
  if (auto done = tables_.timeline.close(); !done) return done;
  if (auto done = tables_.reasons.close(); !done) return done;
  if (decisions_) return decisions_->close();
  return Done{};
}

}  // namespace penstock
