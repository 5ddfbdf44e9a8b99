#include "study/powerflow/powerflow_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "experiment/scenario_bounds.h"
#include "study/powerflow/powerflow_tables.h"
#include "study/run_cases.h"

namespace penstock {

bool PowerflowDuel::leaves_more() const {
  return ours->run.jobs_unfinished.value_or(0) > theirs->jobs_unfinished.value_or(0);
}

double PowerflowDuel::times_better() const {
  return leaves_more() ? 0 : *theirs->jct_mean_s / *ours->run.jct_mean_s;
}

double PowerflowDuel::p95_better() const {
  return leaves_more() ? 0 : *theirs->jct_p95_s / *ours->run.jct_p95_s;
}

double PowerflowDuel::p99_better() const {
  return leaves_more() ? 0 : *theirs->jct_p99_s / *ours->run.jct_p99_s;
}

double PowerflowDuel::energy_ratio() const {
  return *ours->run.energy_kwh / *theirs->energy_kwh;
}

std::vector<PowerflowDuel> duels_of(const std::vector<PowerflowCase>& cases, std::string_view rival,
                                    std::string_view variant, double part) {
  std::vector<PowerflowDuel> duels;
  for (const PowerflowCase& each : cases)
    for (const PowerflowRun& ours : each.ours)
      if (ours.rival == rival && ours.variant == variant && ours.part == part)
        duels.push_back({&run_of(each.rivals, rival), &ours});
  return duels;
}

// Runs

namespace {

std::vector<Method> published_rivals(bool several_types) {
  std::vector<Method> all;
  for (const char* name : {"tiresias", "gandiva", "afs", "optimus", "pollux"})
    all.push_back({name, {name}});
  // Every minute, as published, would take many minutes of ours; every ten is 3 % quicker.
  if (several_types) all.push_back({"sia", {"sia", {{"interval", "30 min"}}}});
  all.push_back({"srtf", {"srtf", {{"place", "buddy"}}}});
  all.push_back({"sjf", {"sjf", {{"place", "buddy"}, {"backfill", "easy"}}}});
  return all;
}

/// At the clock that weighs each job's energy against its time, and at that of least energy.
std::vector<Method> zeus_rivals() {
  std::vector<Method> all;
  for (const char* name : {"tiresias", "afs", "optimus", "pollux"})
    all.push_back({std::string(name) + " zeus-0.5", {name, {{"clock", "zeus-0.5"}}}});
  all.push_back({"afs zeus", {"afs", {{"clock", "zeus"}}}});
  return all;
}

const Variant& variant_of(const Experiment& trace) {
  return *trace.variants.front();
}

Duration submission_span(const Workload& workload) {
  return workload.jobs.back().job.submitted - workload.jobs.front().job.submitted;
}

/// What users ask for, in GPU-hours.
double asked_gpu_hours(const Workload& workload) {
  double asked = 0;
  for (const TracedJob& traced : workload.jobs)
    asked += seconds(traced.job.requested) * traced.job.gpus;
  return asked / 3600;
}

/// GPU time that the jobs need as asked, as a part of what the cluster has while they come.
double offered_load(const Experiment& trace) {
  double needed = 0;
  for (const TracedJob& traced : variant_of(trace).workload.jobs)
    needed += seconds(traced.actual) * traced.job.gpus;
  const double there = variant_of(trace).scenario.cluster.gpu_count();
  return needed / (seconds(submission_span(variant_of(trace).workload)) * there);
}

Result<Experiment> load_trace(const PowerflowCaseSpec& spec, const std::filesystem::path& folder,
                              double factor) {
  return load_experiment(
      {.scenario = folder / (spec.cluster + ".toml"),
       .overrides = {fmt::format("workload.trace=\"{}\"", spec.file),
                     fmt::format("workload.format=\"{}\"", spec.format),
                     fmt::format("workload.load={}", factor), fmt::format("seed={}", spec.seed)},
       .policies = {{"fifo"}}});
}

Result<std::vector<RunSummary>> run_policies(Experiment& trace, std::vector<PolicyChoice> policies,
                                             unsigned threads) {
  if (policies.empty()) return std::vector<RunSummary>{};
  trace.policies = std::move(policies);
  const auto comparison = run_experiment(trace, {.threads = threads});
  if (!comparison) return comparison.error();
  return comparison->summaries();
}

/// powerflow with some options, and how well it is told what will be asked for.
struct PowerflowVariant {
  const char* name;
  Options options;
  double told = 1;  ///< of the GPU-hours; 0 if it is told nothing
};

constexpr const char* kAsAsked = "as asked";
constexpr const char* kFree = "free";

std::vector<PowerflowVariant> ablations() {
  const auto fixed = [](const char* name, const char* option, const char* value) {
    return PowerflowVariant{name, {{"batch", "fixed"}, {option, value}}};
  };
  return {fixed("no clocks", "clocks", "fixed"),
          fixed("no other sizes", "sizes", "fixed"),
          fixed("rank = shares", "rank", "shares"),
          fixed("rank = published", "rank", "published"),
          {"told nothing of arrivals", {{"batch", "fixed"}}, 0},
          {"told a fifth too little", {{"batch", "fixed"}}, 0.8},
          {"told a quarter too much", {{"batch", "fixed"}}, 1.25}};
}

/// All runs of powerflow in one case, to be run with their budgets.
class PowerflowRuns {
 public:
  PowerflowRuns(const Experiment& trace, const std::vector<MethodRun>& rivals)
      : rivals_(rivals),
        horizon_(
            fmt::format("{} s", submission_span(variant_of(trace).workload).count() / 1000 + 1)),
        gpu_hours_(asked_gpu_hours(variant_of(trace).workload)) {}

  void add(const MethodRun& rival, const PowerflowVariant& variant, double part) {
    Options options = variant.options;
    options["energy_budget"] = fmt::format("{:.6f} kWh", *rival.run.energy_kwh * part);
    options["budget_horizon"] = horizon_;
    if (variant.told > 0)
      options["budget_gpu_hours"] = fmt::format("{:.6f}", gpu_hours_ * variant.told);
    choices_.push_back({"powerflow", std::move(options)});
    runs_.push_back({rival.method, variant.name, part, {}});
  }

  void add_all(const PowerflowCaseSpec& spec) {
    const PowerflowVariant as_asked{kAsAsked, {{"batch", "fixed"}}};
    const PowerflowVariant free{kFree, {}};
    for (const MethodRun& rival : rivals_) {
      add(rival, as_asked, 1);
      if (rival.method.find(' ') == std::string::npos) add(rival, free, 1);
      if (rival.method != "afs") continue;
      for (const double part : {0.9, 0.8, 0.7}) {
        add(rival, as_asked, part);
        add(rival, free, part);
      }
      if (!spec.ablations) continue;
      for (const PowerflowVariant& variant : ablations())
        for (const double part : {1.0, 0.8}) add(rival, variant, part);
    }
  }

  const std::vector<PolicyChoice>& choices() const { return choices_; }
  std::vector<PowerflowRun> with(std::vector<RunSummary> summaries) && {
    for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].run = std::move(summaries[i]);
    return std::move(runs_);
  }

 private:
  const std::vector<MethodRun>& rivals_;
  std::string horizon_;
  double gpu_hours_;
  std::vector<PolicyChoice> choices_;
  std::vector<PowerflowRun> runs_;
};

/// How far from the best possible: for all runs with some of afs's energy.
void bound_runs(std::vector<PowerflowRun>& runs, const Variant& variant) {
  const BudgetBound bound = scenario_budget_bound(variant.scenario, variant.workload);
  for (PowerflowRun& ours : runs) {
    if (ours.rival != "afs") continue;
    const auto least = bound.jct_mean(Joules(*ours.run.energy_kwh * kJoulesPerKwh));
    if (least) ours.bound_s = seconds(*least);
  }
}

std::vector<PolicyChoice> along_the_front() {
  std::vector<PolicyChoice> choices;
  for (const char* price : {"0", "100", "300", "1000", "3000", "10000", "30000"})
    choices.push_back({"powerflow", {{"energy_price", price}, {"batch", "fixed"}}});
  return choices;
}

Result<std::vector<MethodRun>> run_rivals(Experiment& trace, const PowerflowCaseSpec& spec,
                                          unsigned threads) {
  std::vector<Method> all = published_rivals(variant_of(trace).scenario.cluster.types.size() > 1);
  if (spec.fronts) std::ranges::move(zeus_rivals(), std::back_inserter(all));
  std::vector<PolicyChoice> choices;
  choices.reserve(all.size());
  for (const Method& rival : all) choices.push_back(rival.choice);
  auto runs = run_policies(trace, std::move(choices), threads);
  if (!runs) return std::move(runs).error();
  std::vector<MethodRun> rivals;
  rivals.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    rivals.push_back({all[i].name, std::move((*runs)[i])});
  return rivals;
}

}  // namespace

Result<PowerflowCase> run_powerflow_case(const PowerflowCaseSpec& spec,
                                         const std::filesystem::path& folder, unsigned threads) {
  const auto natural = load_trace(spec, folder, 1);
  if (!natural) return natural.error();
  auto trace = load_trace(spec, folder, spec.load / offered_load(*natural));
  if (!trace) return std::move(trace).error();
  PowerflowCase result{.spec = spec};
  auto rivals = run_rivals(*trace, spec, threads);
  if (!rivals) return std::move(rivals).error();
  result.rivals = *std::move(rivals);
  PowerflowRuns ours(*trace, result.rivals);
  ours.add_all(spec);
  auto runs = run_policies(*trace, ours.choices(), threads);
  if (!runs) return std::move(runs).error();
  result.ours = std::move(ours).with(*std::move(runs));
  if (spec.ablations) bound_runs(result.ours, variant_of(*trace));
  if (!spec.fronts) return result;
  auto front = run_policies(*trace, along_the_front(), threads);
  if (!front) return std::move(front).error();
  result.front = *std::move(front);
  return result;
}

namespace {

/// Every trace that is asked for must be one of some case.
Result<Done> check_traces(const std::vector<PowerflowCaseSpec>& specs,
                          const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const PowerflowCaseSpec& spec : specs)
    if (std::ranges::find(names, spec.trace) == names.end()) names.push_back(spec.trace);
  for (const std::string& name : only)
    if (std::ranges::find(names, name) == names.end())
      return Error{fmt::format("--only: no case has a trace '{}'; possible: {}", name,
                               fmt::join(names, " "))};
  return Done{};
}

}  // namespace

Result<std::vector<PowerflowCase>> run_powerflow_cases(const StudyRequest& request) {
  const std::filesystem::path folder = request.data / "studies" / "powerflow";
  if (auto there = check_scenario(folder, "cases.toml"); !there) return std::move(there).error();
  const char* group = request.quick ? "quick" : request.tuning ? "tuning" : "report";
  auto specs = read_powerflow_cases(folder / "cases.toml", group);
  if (!specs) return std::move(specs).error();
  if (auto known = check_traces(*specs, request.only); !known) return std::move(known).error();
  std::erase_if(*specs,
                [&](const PowerflowCaseSpec& spec) { return !is_wanted(request, spec.trace); });
  const auto run = [&](std::size_t i) {
    return run_powerflow_case((*specs)[i], folder, request.threads);
  };
  const auto begins = [&](std::size_t i) {
    if (!request.note) return;
    const PowerflowCaseSpec& spec = (*specs)[i];
    request.note(fmt::format("study powerflow: {} of {}, {} at load {:.1f} on {}", i + 1,
                             specs->size(), spec.trace, spec.load, spec.cluster));
  };
  const auto save = [&](const std::vector<PowerflowCase>& so_far) -> Result<Done> {
    if (!request.save) return Done{};
    return request.save({"study.csv", powerflow_csv(so_far)});
  };
  return run_cases<PowerflowCase>(
      {.count = specs->size(), .run = run, .begins = begins, .so_far = save});
}

namespace {

PageSource powerflow_page(const PowerflowCase& each) {
  std::vector<MethodRun> runs = each.rivals;
  for (const PowerflowRun& ours : each.ours)
    runs.push_back(
        {fmt::format("powerflow {}, {:.0f} % of {}", ours.variant, 100 * ours.part, ours.rival),
         ours.run});
  for (const RunSummary& run : each.front)
    runs.push_back({"powerflow energy_price=" + run.options.at("energy_price"), run});
  return page_source(
      fmt::format("{} at load {:.1f} on {}", each.spec.trace, each.spec.load, each.spec.cluster),
      "", runs);
}

}  // namespace

Result<StudyResult> run_powerflow_study(const StudyRequest& request) {
  const auto cases = run_powerflow_cases(request);
  if (!cases) return cases.error();
  StudyResult result{.text = powerflow_text(*cases)};
  std::set<std::string> traces;
  for (const PowerflowCase& each : *cases) {
    if (each.spec.fronts) traces.insert(each.spec.trace);
    result.pages.push_back(powerflow_page(each));
  }
  for (const std::string& trace : traces)
    result.files.push_back({trace + ".svg", powerflow_svg(*cases, trace)});
  return result;
}

}  // namespace penstock
