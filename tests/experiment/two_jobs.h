#pragma once

#include <string>

#include "experiment/experiment.h"

namespace penstock {

/// One GPU and two jobs that are submitted at once: "long" of ten hours, then "short" of one. The
/// node draws 500 W while it works and 100 W while it does not; a kWh costs 0.1 EUR and 500 g.
inline const std::string kTwoJobs = R"(
name = "two-jobs"
[workload]
trace  = "two-jobs.csv"
format = "csv"
[[site]]
name   = "here"
price  = { fixed = "0.1 EUR/kWh" }
carbon = { fixed = "500 g/kWh" }
[[site.nodes]]
count = 1
gpus  = 1
gpu   = "a100"
power_by_used = ["100 W", "500 W"]
[costs]
currency = "EUR"
)";

inline ExperimentSpec two_jobs(std::vector<PolicyChoice> policies) {
  return {.text = ScenarioText{.toml = kTwoJobs,
                               .name = "two-jobs.toml",
                               .dir = PENSTOCK_TEST_DIR "/experiment/data"},
          .policies = std::move(policies)};
}

/// As many jobs as make a run last a while, drawn by a seed.
inline ExperimentSpec many_jobs() {
  return {.text = ScenarioText{.toml = R"(
name = "many-jobs"
[workload.generate]
jobs = 2000
[[site]]
name = "here"
[[site.nodes]]
count = 4
gpus  = 16
gpu   = "a100"
)"},
          .policies = {{"fifo"}, {"srtf"}}};
}

}  // namespace penstock
