#include "app/study_powerflow.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/comparison.h"

namespace penstock {
namespace {

struct Rival {
  std::string name{};
  PolicyChoice choice{};
};

/// Each as published, and at the clock at which each of its jobs needs least energy.
std::vector<Rival> rivals() {
  std::vector<PolicyChoice> published{{"tiresias"}, {"gandiva"}, {"afs"}, {"optimus"}};
  published.push_back({"srtf", {{"place", "buddy"}}});
  published.push_back({"sjf", {{"place", "buddy"}, {"backfill", "easy"}}});
  std::vector<Rival> all;
  all.reserve(2 * published.size());
  for (const PolicyChoice& choice : published) all.push_back({choice.name, choice});
  for (PolicyChoice& choice : published) {
    choice.options["clock"] = "zeus";
    all.push_back({choice.name + " zeus", std::move(choice)});
  }
  return all;
}

/// One trace at one load, with its jobs read.
struct Stage {
  Experiment experiment{};
  unsigned threads = 1;
  const Workload& workload() const { return experiment.variants.front()->workload; }
};

Result<Stage> load_stage(const std::filesystem::path& scenario, double factor,
                         const StudyRequest& study) {
  auto experiment = load_experiment({.scenario = scenario,
                                     .overrides = {fmt::format("workload.load={}", factor)},
                                     .policies = {{"fifo"}}});
  if (!experiment) return std::move(experiment).error();
  return Stage{.experiment = *std::move(experiment), .threads = study.threads};
}

Duration submission_span(const Workload& workload) {
  return workload.jobs.back().job.submitted - workload.jobs.front().job.submitted;
}

/// GPU time that the jobs ask for, as a part of what the cluster has while they come.
double offered_load(const Stage& stage) {
  double asked = 0;
  for (const TracedJob& traced : stage.workload().jobs)
    asked += seconds(traced.actual) * traced.job.gpus;
  const double there = stage.experiment.variants.front()->scenario.cluster.gpu_count();
  return asked / (seconds(submission_span(stage.workload())) * there);
}

Result<std::vector<RunSummary>> run_stage(Stage& stage, std::vector<PolicyChoice> policies) {
  stage.experiment.policies = std::move(policies);
  const auto comparison = run_experiment(stage.experiment, {.threads = stage.threads});
  if (!comparison) return comparison.error();
  return comparison->summaries();
}

PolicyChoice powerflow_with(const RunSummary& rival, Duration horizon) {
  return {"powerflow",
          {{"energy_budget", fmt::format("{:.6f} kWh", *rival.energy_kwh)},
           {"budget_horizon", fmt::format("{} s", horizon.count() / 1000 + 1)}}};
}

std::vector<PolicyChoice> along_the_front() {
  std::vector<PolicyChoice> choices;
  for (const char* price : {"0", "30", "100", "300", "1000", "3000", "10000"})
    choices.push_back({"powerflow", {{"energy_price", price}}});
  return choices;
}

Result<StudyCase> run_case(Stage& stage, const std::string& trace, double load) {
  StudyCase result{.trace = trace, .load = load};
  const std::vector<Rival> all = rivals();
  std::vector<PolicyChoice> theirs;
  theirs.reserve(all.size());
  for (const Rival& rival : all) theirs.push_back(rival.choice);
  auto rival_runs = run_stage(stage, theirs);
  if (!rival_runs) return std::move(rival_runs).error();
  std::vector<PolicyChoice> ours;
  for (const RunSummary& run : *rival_runs)
    ours.push_back(powerflow_with(run, submission_span(stage.workload())));
  auto our_runs = run_stage(stage, ours);
  if (!our_runs) return std::move(our_runs).error();
  for (std::size_t i = 0; i < all.size(); ++i)
    result.duels.push_back({all[i].name, std::move((*rival_runs)[i]), std::move((*our_runs)[i])});
  auto front = run_stage(stage, along_the_front());
  if (!front) return std::move(front).error();
  result.front = *std::move(front);
  return result;
}

Result<std::vector<std::filesystem::path>> scenarios_in(const StudyRequest& request) {
  std::vector<std::filesystem::path> found;
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator(request.folder, trouble)) {
    const std::string name = entry.path().stem().string();
    const bool wanted =
        request.only.empty() || std::ranges::find(request.only, name) != request.only.end();
    if (entry.path().extension() == ".toml" && wanted) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  return Error{
      fmt::format("{}: there are no scenarios of the study; run penstock where data/ is, "
                  "or name that folder with --data",
                  request.folder.string())};
}

void show_progress(const StudyRequest& request, const std::string& trace, double load) {
  if (request.progress) fmt::print(stderr, "study powerflow: {} at load {:.1f}\n", trace, load);
}

}  // namespace

Result<std::vector<StudyCase>> study_powerflow(const StudyRequest& request) {
  const auto scenarios = scenarios_in(request);
  if (!scenarios) return scenarios.error();
  std::vector<StudyCase> cases;
  for (const std::filesystem::path& scenario : *scenarios) {
    const auto natural = load_stage(scenario, 1, request);
    if (!natural) return natural.error();
    for (const double load : request.loads) {
      show_progress(request, scenario.stem().string(), load);
      auto stage = load_stage(scenario, load / offered_load(*natural), request);
      if (!stage) return std::move(stage).error();
      auto result = run_case(*stage, scenario.stem().string(), load);
      if (!result) return std::move(result).error();
      cases.push_back(*std::move(result));
    }
  }
  return cases;
}

}  // namespace penstock
