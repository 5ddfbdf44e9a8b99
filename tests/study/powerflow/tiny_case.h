#pragma once

#include "study/powerflow/powerflow_study.h"

namespace penstock {

inline RunSummary finished_run(double jct_hours, double energy_kwh) {
  RunSummary run;
  run.jobs_submitted = run.jobs_finished = 2;
  run.jobs_unfinished = 0;
  run.jct_mean_s = 3600 * jct_hours;
  run.jct_p95_s = 7200 * jct_hours;
  run.jct_p99_s = 8000 * jct_hours;
  run.energy_kwh = energy_kwh;
  run.resizes = 4;
  run.migrations = run.preemptions = 0;
  return run;
}

/// afs with these hours and 100 kWh, and powerflow with those and 90 kWh at any part of them.
inline PowerflowCase tiny_case(double theirs, double ours) {
  PowerflowCase one{
      .spec = {.cluster = "one", .trace = "tiny", .load = 0.6, .seed = 7, .fronts = true},
      .rivals = {{"afs", finished_run(theirs, 100)}}};
  for (const double part : {1.0, 0.9, 0.8, 0.7})
    for (const char* variant : {"as asked", "free"})
      one.ours.push_back({"afs", variant, part, finished_run(ours, 90)});
  return one;
}

}  // namespace penstock
