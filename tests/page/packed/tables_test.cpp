#include "page/packed/tables.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

StoredJob job(std::string_view name, Duration submitted, Duration start = 0s,
              Duration finish = 0s) {
  return {.name = name, .submitted = submitted, .gpus = 1, .start = start, .finish = finish};
}

std::vector<std::string> names(std::span<const StoredJob* const> jobs) {
  std::vector<std::string> all;
  for (const StoredJob* each : jobs) all.emplace_back(each == nullptr ? "-" : each->name);
  return all;
}

using Names = std::vector<std::string>;

TEST(Population, is_in_order_of_submission_and_then_of_names) {
  const std::vector<StoredJob> jobs{job("c10", 5s), job("c9", 5s), job("a", 9s), job("b", 1s)};
  EXPECT_EQ(names(in_order(jobs)), (Names{"b", "c9", "c10", "a"}));
}

TEST(Population, is_shared_by_runs_that_end_different_jobs) {
  const std::vector<StoredJob> first{job("a", 1s), job("c", 3s)};
  const std::vector<StoredJob> second{job("b", 2s), job("a", 1s)};
  Population population{in_order(first), 3};
  EXPECT_TRUE(join(population, in_order(second), 3));
  EXPECT_EQ(names(population.jobs), (Names{"a", "b", "c"}));
  EXPECT_EQ(names(matched(population, in_order(first))), (Names{"a", "-", "c"}));
  EXPECT_EQ(names(matched(population, in_order(second))), (Names{"a", "b", "-"}));
}

TEST(Population, is_not_that_of_other_submissions) {
  const std::vector<StoredJob> first{job("a", 1s), job("b", 2s)};
  Population population{in_order(first), 2};
  const std::vector<StoredJob> later{job("a", 1s), job("b", 3s)};
  EXPECT_FALSE(join(population, in_order(later), 2));
  EXPECT_FALSE(join(population, in_order(first), 3));
  std::vector<StoredJob> larger = first;
  larger[0].gpus = 2;
  EXPECT_FALSE(join(population, in_order(larger), 2));
  EXPECT_EQ(population.jobs.size(), 2u);
}

TEST(JobNames, tells_jobs_of_one_name_apart_by_when_they_ran) {
  const std::vector<StoredJob> jobs{job("a", 0s, 0s, 10s), job("a", 5s, 20s, 30s)};
  const Population population{in_order(jobs), 2};
  const JobNames found(population);
  EXPECT_EQ(found.row("a", 2s, 9s, population.jobs), 0);
  EXPECT_EQ(found.row("a", 20s, 30s, population.jobs), 1);
  EXPECT_EQ(found.row("a", 12s, 14s, population.jobs), std::nullopt);
  EXPECT_EQ(found.row("b", 2s, 9s, population.jobs), std::nullopt);
}

TEST(PackStretches, leaves_the_shortest_out) {
  const std::vector<StoredJob> jobs{job("a", 0s, 0s, 100s)};
  const Population population{in_order(jobs), 1};
  const JobNames found(population);
  const StoredStretches stretches{
      .rows = {{.job = "a", .from = 50s, .to = 100s, .first_range = 0, .ranges = 2},
               {.job = "a", .from = 0s, .to = 5s, .first_range = 2, .ranges = 1},
               {.job = "b", .from = 0s, .to = 90s, .first_range = 3, .ranges = 1}},
      .ranges = {{GpuId{0}, 4}, {GpuId{8}, 2}, {GpuId{3}, 1}, {GpuId{9}, 1}}};
  const auto pack = [&](std::size_t most) {
    return pack_stretches(
        stretches,
        {.names = found, .jobs = population.jobs, .unit = TimeUnit(1s), .most_rows = most});
  };
  EXPECT_EQ(pack(10).rows, 3u);
  EXPECT_EQ(pack(10).left_out, 1u);
  EXPECT_EQ(pack(2).rows, 2u);
  EXPECT_EQ(pack(2).columns[1].second.value, 50);
}

}  // namespace

}  // namespace penstock
