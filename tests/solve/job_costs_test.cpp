// What a job by itself costs at least.
#include "solve/job_costs.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// A unit of work takes 4, 2.5 or 1.5 s, and 4, 5 or 6 GPU-seconds.
const BoundedShape kShape{{{.possible = true,
                            .seconds = 1.5,
                            .gpu_seconds = 4,
                            .ways = {{4, 4, 0}, {2.5, 5, 0}, {1.5, 6, 0}}}}};

/// GPUs at 2 a second.
const Machines kMachines{.pools = {{.gpus = 8, .own_draw = false, .rent = 2}}};

BoundedJob job_due(double deadline, double weight) {
  return {.fastest = 1500,
          .deadline = deadline,
          .due = true,
          .weight = weight,
          .work = 1000,
          .scale = 1000};
}

/// In hours without end, where GPUs are not scarce.
double least(const BoundedJob& job, const BoundedShape& shape = kShape) {
  const TimeWindows hours{.begin = {0, 3600, 7200}, .rates = {{0, 0, 0}}};
  const BoundedJobs jobs{.jobs = {job}, .shapes = {shape}};
  const ObjectiveWeights money{.money = 1, .tardiness = 1};
  const LeastSending nothing({.cluster = {}, .signals = {}}, money);
  return job_costs({hours, kMachines, jobs, nothing, money}, {}).back();
}

TEST(JobCosts, is_the_cheapest_way_with_time_to_spare) {
  EXPECT_DOUBLE_EQ(least(job_due(4000, 5)), 8000);
}

TEST(JobCosts, mixes_two_ways_to_be_just_in_time) {
  // A third on one GPU and two thirds on two take 3000 s.
  EXPECT_DOUBLE_EQ(least(job_due(3000, 5)), 8000.0 / 3 + 10000 * 2.0 / 3);
}

TEST(JobCosts, is_late_where_that_is_cheaper) {
  EXPECT_DOUBLE_EQ(least(job_due(3000, 0.1)), 8000 + 100);
  EXPECT_DOUBLE_EQ(least(job_due(1000, 5)), 12000 + 500 * 5);
}

TEST(JobCosts, takes_the_best_of_each_where_ways_are_not_told_apart) {
  BoundedShape unknown = kShape;
  unknown.uses[0].ways.clear();
  EXPECT_DOUBLE_EQ(least(job_due(3000, 5), unknown), 8000);
  EXPECT_DOUBLE_EQ(least(job_due(1000, 5), unknown), 8000 + 500 * 5);
}

/// In an hour after which no run goes on: whoever holds a GPU earns 10 a second, work or not.
double least_where_holding_earns(const BoundedJob& job) {
  const TimeWindows hour{.begin = {0}, .rates = {{-1}}, .known_until = 3600};
  const Machines machines{.pools = {{.gpus = 1, .own_draw = false, .most_node_watts = 10}}};
  const Use use{.possible = true,
                .seconds = 0.1,
                .gpu_seconds = 0.1,
                .ways = {{0.1, 0.1, 0}},
                .exact = true,
                .most_gpus = 1};
  const BoundedJobs jobs{.jobs = {job}, .shapes = {{{use}}}};
  const ObjectiveWeights money{.money = 1, .tardiness = 1};
  const LeastSending nothing({.cluster = {}, .signals = {}}, money);
  return job_costs({hour, machines, jobs, nothing, money, kEndlessTime}, {}).back();
}

TEST(JobCosts, ends_at_once_where_a_second_late_costs_more_than_it_earns) {
  // 100 s of work, each of which costs 15 and earns 10.
  EXPECT_NEAR(least_where_holding_earns(job_due(0, 15)), 500, 1e-9);
}

TEST(JobCosts, stays_where_a_second_late_earns_more_than_it_costs) {
  EXPECT_NEAR(least_where_holding_earns(job_due(0, 4)), 3600 * (4 - 10), 1e-9);
}

TEST(JobCosts, saves_nothing_for_sure_by_drawing_less_than_idle_below_0) {
  // A joule earns up to 1 somewhere in the window, and may earn nothing while the job runs: what it
  // draws less than an idle GPU must not count as earnings that are lost.
  const TimeWindows window{.begin = {0}, .rates = {{-1}}};
  const Machines hot_when_idle{
      .pools = {{.gpus = 1, .own_draw = true, .idle_watts = 300, .least_watts = 100}}};
  const Use cold{.possible = true,
                 .seconds = 1,
                 .gpu_seconds = 1,
                 .ways = {{1, 1, 0}},
                 .exact = true,
                 .most_gpus = 1,
                 .most_watts = 100};
  const BoundedJobs jobs{.jobs = {job_due(4000, 5)}, .shapes = {{{cold}}}};
  const ObjectiveWeights money{.money = 1, .tardiness = 1};
  const LeastSending nothing({.cluster = {}, .signals = {}}, money);
  EXPECT_LE(job_costs({window, hot_when_idle, jobs, nothing, money}, {}).back(), 0);
}

}  // namespace
}  // namespace penstock
