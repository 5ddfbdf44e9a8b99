// Runs a made-up day of jobs under two policies and compares them; no file is read or written.
#include <cstdio>

#include "experiment/comparison.h"

int main() {
  const std::string scenario = R"(
      [workload.generate]
      jobs = 500
      load = 0.9
      [[site]]
      name = "here"
      [[site.nodes]]
      count = 4
      gpus  = 8
      gpu   = "a100")";
  const auto experiment =
      penstock::load_experiment({.text = penstock::ScenarioText{.toml = scenario},
                                 .overrides = {"seed=7"},
                                 .policies = {{"fifo"}, {"sjf", {{"backfill", "easy"}}}}});
  if (!experiment) return std::puts(experiment.error().message.c_str()), 2;
  const auto comparison = penstock::run_experiment(*experiment, {.details = {.jobs = true}});
  if (!comparison) return std::puts(comparison.error().message.c_str()), 2;
  for (const penstock::PolicyRun& run : comparison->runs)
    std::printf("%s: %zu jobs, mean completion %.1f h, %.0f kWh\n", run.summary.policy.c_str(),
                run.details.jobs.size(), *run.summary.jct_mean_s / 3600, *run.summary.energy_kwh);
}
