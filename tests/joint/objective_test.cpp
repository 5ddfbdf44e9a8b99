#include "joint/objective.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "joint/random_problem.h"

namespace penstock {
namespace {

const std::vector<double> kOneAnHour{3600};  // so that a GPU-second costs 1

/// 4000, 2500 or 1500 seconds, which cost 4000, 5000 and 6000.
JointJob job_of(double weight) {
  return {.weight = weight, .options = {on(1, 4000), on(2, 2500), on(4, 1500)}};
}

TEST(FullRates, are_those_of_the_cheapest_full_node_of_each_type) {
  const JointProblem problem{.slices = 2,
                             .types = 3,
                             .nodes = {{.type = 0, .gpus = 2, .cost = {0, 5, 8}},
                                       {.type = 0, .gpus = 1, .cost = {0, 3}},
                                       {.type = 2, .gpus = 0, .cost = {0}}}};
  const auto rates = full_rates(problem);
  EXPECT_DOUBLE_EQ(rates[0], 1.5);  // 3 an hour for a GPU of two slices
  EXPECT_EQ(rates[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(rates[2], std::numeric_limits<double>::infinity());
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
  EXPECT_EQ(marginal_cost(job, {std::numeric_limits<double>::infinity()}, 100), 0);
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
