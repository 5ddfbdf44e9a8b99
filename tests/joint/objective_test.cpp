#include "joint/objective.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "joint/random_problem.h"

namespace penstock {
namespace {

const Rates kOneAnHour(std::vector<double>{3600});  // so that a GPU-second costs 1

/// 4000, 2500 or 1500 seconds, which cost 4000, 5000 and 6000.
JointJob job_of(double weight) {
  return {.weight = weight, .options = {on(1, 4000), on(2, 2500), on(4, 1500)}};
}

TEST(Rates, are_those_of_the_cheapest_full_node_of_each_type) {
  const JointProblem problem{.slices = 2,
                             .types = 3,
                             .nodes = {{.type = 0, .gpus = 2, .cost = {0, 5, 8}},
                                       {.type = 0, .gpus = 1, .cost = {0, 3}},
                                       {.type = 2, .gpus = 0, .cost = {0}}}};
  const Rates rates(problem);
  // 3 an hour for a GPU of two slices.
  EXPECT_DOUBLE_EQ(rates.of({.type = 0, .slices = 1, .seconds = 100}), 1.5);
  EXPECT_DOUBLE_EQ(rates.of({.type = 0, .slices = 2, .seconds = 100}), 3);
  EXPECT_EQ(rates.of({.type = 1, .slices = 1, .seconds = 100}), Rates::kEndless);
  EXPECT_EQ(rates.of({.type = 2, .slices = 1, .seconds = 100}, 0), Rates::kEndless);
}

TEST(Rates, of_a_job_that_has_a_node_to_itself_are_those_of_the_node) {
  const JointProblem problem{
      .types = 1, .interval = 1000, .nodes = {{.type = 0, .gpus = 4, .cost = {0, 5, 6, 7, 8}}}};
  const Rates rates(problem);
  const JointOption quick{.slices = 1, .seconds = 500};
  EXPECT_DOUBLE_EQ(rates.of(quick, 0), 5);
  EXPECT_DOUBLE_EQ(rates.of(quick, 1), 3) << "half of what two GPUs cost";
  EXPECT_DOUBLE_EQ(rates.of(quick, 3), 2);
  EXPECT_DOUBLE_EQ(rates.of(quick), 2);
  // With one more GPU it costs 6 for the two.
  EXPECT_DOUBLE_EQ(rates.of({.slices = 2, .seconds = 500}, 0), 6);
  // After a quarter of its time others may have come.
  EXPECT_DOUBLE_EQ(rates.of({.slices = 1, .seconds = 4000}, 0), 2 + (5 - 2) / 4.0);
}

/// So many late jobs on two GPUs, which take 100 s on one of them and 60 on both.
JointProblem late_jobs(std::size_t count) {
  const JointJob job{.deadline = 0, .weight = 1, .options = {on(1, 100), on(2, 60)}};
  return {.types = 1,
          .jobs = std::vector<JointJob>(count, job),
          .nodes = {{.type = 0, .gpus = 2, .cost = {0, 0, 0}}}};
}

double wide_against_narrow(const JointProblem& problem) {
  const Values values(problem);
  return values.running(0, {0, 1}) / values.running(0, {0, 0});
}

TEST(Values, of_ways_that_waste_gpus_fall_as_the_queue_grows) {
  EXPECT_DOUBLE_EQ(wide_against_narrow(late_jobs(2)), 100.0 / 60) << "one run of 100 s on each GPU";
  EXPECT_DOUBLE_EQ(wide_against_narrow(late_jobs(3)), 100.0 / 60 * 100 / 120) << "one and a half";
  EXPECT_DOUBLE_EQ(wide_against_narrow(late_jobs(9)), 100.0 / 60 * 100 / 120);
}

TEST(Values, of_jobs_with_time_do_not_grow_with_the_weight_of_lateness) {
  const auto value = [](double weight) {
    const JointProblem problem{
        .types = 1,
        .jobs = {{.deadline = 5000, .weight = weight, .options = {on(1, 4000), on(2, 2500)}}},
        .nodes = {{.type = 0, .gpus = 4, .cost = {0, 3600, 7200, 10800, 14400}}}};
    return -Values(problem).running(0, {0, 0}) * 4000;
  };
  EXPECT_DOUBLE_EQ(value(0), 4000);  // what its machine costs
  EXPECT_DOUBLE_EQ(value(1e3), 4400);
  EXPECT_DOUBLE_EQ(value(1e6), 4400);
}

/// Two jobs for two GPUs, one of a type on which they take 100 s, one on which they take 200 s;
/// nothing costs anything but to be late.
JointProblem for_two_types(double deadline) {
  const JointJob job{.deadline = deadline,
                     .weight = 1,
                     .options = {{.type = 0, .slices = 1, .seconds = 100, .worst = 100},
                                 {.type = 1, .slices = 1, .seconds = 200, .worst = 200}}};
  return {
      .types = 2,
      .jobs = {job, job},
      .nodes = {{.type = 0, .gpus = 1, .cost = {0, 0}}, {.type = 1, .gpus = 1, .cost = {0, 0}}}};
}

TEST(Values, of_urgent_jobs_pay_for_no_more_speed_than_is_needed) {
  const JointProblem with_time = for_two_types(230);  // 200 s are less than nine tenths of it
  const Values even(with_time);
  EXPECT_LT(even.running(0, {0, 0}), 0);
  EXPECT_DOUBLE_EQ(even.running(0, {0, 0}), even.running(0, {1, 1}));
  const JointProblem without = for_two_types(210);
  const Values quick(without);
  EXPECT_DOUBLE_EQ(quick.running(0, {0, 0}), 2 * quick.running(0, {1, 1}));
}

TEST(Values, count_the_restart_of_a_job_that_is_stopped_or_changed) {
  // A GPU costs 36 an hour: the job is worth 1. A restart of 30 s is 3/13 of what it then takes.
  JointProblem problem{.types = 1,
                       .interval = 600,
                       .jobs = {{.options = {on(1, 100)}, .running = Assignment{0, 0}}},
                       .nodes = {{.gpus = 1, .cost = {0, 36}}, {.gpus = 1, .cost = {0, 36}}}};
  problem.jobs[0].restart = 30;
  const Values values(problem);
  EXPECT_DOUBLE_EQ(values.running(0, {0, 0}), -0.01);
  EXPECT_DOUBLE_EQ(values.running(0, {1, 0}), -0.01 * 10 / 13);
  EXPECT_DOUBLE_EQ(values.waiting(0), 0.01 * 3 / 13);
  problem.interval = 60;
  EXPECT_DOUBLE_EQ(Values(problem).running(0, {1, 0}), -0.01 / 2) << "half of the time is lost";
}

TEST(SlicesNeeded, are_the_fewest_in_time_or_those_that_waste_least) {
  JointProblem problem{.now = 100, .jobs = {job_of(1), job_of(1), job_of(1)}};
  problem.jobs[0].deadline = 100 + 2500;
  problem.jobs[1].deadline = 100;
  EXPECT_EQ(slices_needed(problem), (std::vector<double>{2, 1, 1}));
}

TEST(MarginalCost, is_the_cheapest_ways_with_time_to_spare) {
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(9), kOneAnHour, 4000), 4000);
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(0), kOneAnHour, -10), 4000);  // being late is free
}

TEST(MarginalCost, rises_as_time_gets_short) {
  // Between one GPU and two a second saved costs 1000/1500; between two and four, 1.
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(9), kOneAnHour, 3000), 4000 + 4000 * (1000.0 / 1500));
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(9), kOneAnHour, 2000), 5000 + 2500 * 1);
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(9), kOneAnHour, 1000), 6000 + 1500 * 9);
  EXPECT_DOUBLE_EQ(marginal_cost(job_of(0.8), kOneAnHour, 1000), 5000 + 2500 * 0.8);
}

TEST(MarginalCost, of_a_job_that_cannot_run_is_nothing) {
  JointJob job = job_of(1);
  EXPECT_EQ(marginal_cost(job, Rates(std::vector{Rates::kEndless}), 100), 0);
  job.options.clear();
  EXPECT_EQ(marginal_cost(job, kOneAnHour, 100), 0);
}

/// The least that so many times the job's work comes to, by trying all mixtures of two ways.
double least_cost(const JointJob& job, double work, double left) {
  double least = std::numeric_limits<double>::infinity();
  for (const JointOption& a : job.options)
    for (const JointOption& b : job.options) {
      const double slow = std::max(a.seconds, b.seconds) * work;
      const double quick = std::min(a.seconds, b.seconds) * work;
      const double in_time =
          slow > quick ? std::clamp((slow - left) / (slow - quick), 0.0, 1.0) : 0.0;
      for (const double part : {0.0, 1.0, in_time}) {  // of the quick one
        const bool a_is_quick = a.seconds <= b.seconds;
        const double of_a = a_is_quick ? part : 1 - part;
        const double seconds = work * (of_a * a.seconds + (1 - of_a) * b.seconds);
        const double cost = work * (of_a * finishing_cost(a, kOneAnHour) +
                                    (1 - of_a) * finishing_cost(b, kOneAnHour));
        least = std::min(least, cost + job.weight * std::max(0.0, seconds - left));
      }
    }
  return least;
}

TEST(MarginalCost, is_what_a_little_more_work_costs) {
  Rng rng = Rng(3).stream("marginal");
  for (int round = 0; round < 500; ++round) {
    JointJob job{.weight = rng.uniform() * 4};
    for (std::uint32_t g = 1; g <= 1 + rng.below(6); ++g)
      job.options.push_back(on(g, 100 + rng.uniform() * 900));
    const double left = rng.uniform() * 1200 - 100;
    constexpr double kLittle = 1e-6;
    const double at = least_cost(job, 1, left);
    const double below = (at - least_cost(job, 1 - kLittle, left)) / kLittle;
    const double above = (least_cost(job, 1 + kLittle, left) - at) / kLittle;
    const double told = marginal_cost(job, kOneAnHour, left);
    EXPECT_GE(told, below - 1e-3 * told) << round;
    EXPECT_LE(told, above + 1e-3 * told) << round;
  }
}

}  // namespace

}  // namespace penstock
