#pragma once

#include <chrono>
#include <vector>

#include "model/record.h"
#include "report/measures/metrics.h"

namespace penstock {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Three jobs on a site of four GPUs, times in seconds after `t0`:
///
///   job      submitted  start  finish  held  GPUs      deadline  weight
///   train-a          0      0     100   100  0-1       -
///   train-b         10    100     140    40  0-3            120  0.5 a second
///   6214e9          20    140     160     4  3              200  0.5 a second
///
/// The third was preempted twice, lost a node once and was killed in the end.
struct ThreeJobs {
  Time t0 = Time(std::chrono::sys_days(std::chrono::year(2022) / 3 / 1));
  std::vector<Job> jobs{
      {.id = JobId{0}, .submitted = t0, .gpus = 2, .requested = 2h, .name = "train-a"},
      {.id = JobId{1},
       .submitted = t0 + 10s,
       .gpus = 4,
       .requested = 60s,
       .deadline = t0 + 120s,
       .tardiness_weight = MoneyRate(0.5),
       .name = "train-b",
       .user = "ann",
       .group = "vc7",
       .kind = "resnet"},
      {.id = JobId{2},
       .submitted = t0 + 20s,
       .gpus = 1,
       .requested = 4s,
       .deadline = t0 + 200s,
       .tardiness_weight = MoneyRate(0.5),
       .name = "6214e9",
       .user = "O'Neil, \"Bob\""},
  };
  std::vector<Placement> places{{{GpuId{0}, 2}}, {{GpuId{0}, 2}, {GpuId{2}, 2}}, {{GpuId{3}, 1}}};

  std::vector<JobRecord> records() const {
    return {
        {.job = jobs[0],
         .first_start = t0,
         .finish = t0 + 100s,
         .held = 100s,
         .where = places[0],
         .gpus_mean = 2,
         .clock_mean_mhz = 1410,
         .bill = {Joules(90000), Money(0.005), GramsCo2(10)}},
        {.job = jobs[1],
         .first_start = t0 + 100s,
         .finish = t0 + 140s,
         .held = 40s,
         .where = places[1],
         .gpus_mean = 4,
         .clock_mean_mhz = 1410,
         .bill = {Joules(72000), Money(0.004), GramsCo2(8)}},
        {.job = jobs[2],
         .outcome = Outcome::killed,
         .first_start = t0 + 140s,
         .finish = t0 + 160s,
         .held = 4s,
         .where = places[2],
         .gpus_mean = 1,
         .preemptions = 2,
         .interruptions = 1,
         .bill = {Joules(1800), Money(0.0001), GramsCo2(0.2)}},
    };
  }

  Metrics metrics() const {
    Metrics all;
    for (const JobRecord& record : records()) all.add(record);
    return all;
  }

  /// Bills in round numbers of their own: 1 + 0.5 + 0.25 kWh.
  RunTotals totals() const {
    return {.policy = "fifo",
            .options = {{"backfill", "easy"}},
            .sites = {{.name = "frankfurt",
                       .nodes = 2,
                       .gpus = 4,
                       .jobs = {Joules(3.6e6), Money(0.25), GramsCo2(400)},
                       .idle = {Joules(1.8e6), Money(0.125), GramsCo2(150)},
                       .overhead = {Joules(0.9e6), Money(0.125), GramsCo2(50)}}},
            .jobs_submitted = 4,
            .first_submission = t0,
            .carbon_price_per_tonne = Money(100),
            .node_sleeps = 5,
            .events = 9,
            .decisions = 7};
  }
};

}  // namespace penstock
