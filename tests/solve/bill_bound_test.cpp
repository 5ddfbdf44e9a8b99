#include "solve/bill_bound.h"

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
  return {.ready = 0, .fastest = 1500, .deadline = deadline, .weight = weight, .work = 1000};
}

double least(const BoundedJob& job, const BoundedShape& shape = kShape) {
  const std::vector<double> rates{0};
  const ObjectiveWeights money{.money = 1, .tardiness = 1};
  return least_alone(job, shape, kMachines, {rates, money});
}

TEST(LeastAlone, is_the_cheapest_way_with_time_to_spare) {
  EXPECT_DOUBLE_EQ(least(job_due(4000, 5)), 8000);
}

TEST(LeastAlone, mixes_two_ways_to_be_just_in_time) {
  // A third on one GPU and two thirds on two take 3000 s.
  EXPECT_DOUBLE_EQ(least(job_due(3000, 5)), 8000.0 / 3 + 10000 * 2.0 / 3);
}

TEST(LeastAlone, is_late_where_that_is_cheaper) {
  EXPECT_DOUBLE_EQ(least(job_due(3000, 0.1)), 8000 + 100);
  EXPECT_DOUBLE_EQ(least(job_due(1000, 5)), 12000 + 500 * 5);
}

TEST(LeastAlone, takes_the_best_of_each_where_ways_are_not_told_apart) {
  BoundedShape unknown = kShape;
  unknown.uses[0].ways.clear();
  EXPECT_DOUBLE_EQ(least(job_due(3000, 5), unknown), 8000);
  EXPECT_DOUBLE_EQ(least(job_due(1000, 5), unknown), 8000 + 500 * 5);
}

TEST(CheapestShares, take_the_cheapest_parts_that_make_a_whole) {
  CheapestShares shares;
  shares.offer(8, 0.5);
  EXPECT_FALSE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 4);
  shares.offer(2, 0.75);
  EXPECT_TRUE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.25 * 8);
  shares.offer(4, 0.125);
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.125 * 4 + 0.125 * 8);
  shares.offer(9, 1);
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.125 * 4 + 0.125 * 8);
  shares.offer(1, 7);
  EXPECT_DOUBLE_EQ(shares.cost(), 1);
}

TEST(CheapestShares, are_nothing_again_when_cleared) {
  CheapestShares shares;
  shares.offer(8, 1);
  shares.clear();
  EXPECT_FALSE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 0);
}

}  // namespace

}  // namespace penstock
