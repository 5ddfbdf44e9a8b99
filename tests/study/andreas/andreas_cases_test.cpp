#include "study/andreas/andreas_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

namespace penstock {
namespace {

std::filesystem::path andreas_cases(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "andreas_cases.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(AndreasPlans, are_every_combination_of_the_lists_of_a_group) {
  const auto path = andreas_cases(
      "[[report]]\nclusters = [\"server\", \"cloud\"]\nnodes = [10, 20]\n"
      "arrivals = [\"high\", \"low\"]\nweights = [1, 100]\nseeds = [11, 12]\nmethods = \"ours\"\n"
      "[[report]]\nclusters = [\"cloud\"]\nnodes = [10]\nloads = [0.3, 1.3]\n"
      "slacks = [[1.1, 3], [2, 10]]\njobs_per_node = 40\nseeds = [11]\nmethods = \"few\"\n");
  const auto plans = read_andreas_plans(path, "report");
  ASSERT_TRUE(plans) << plans.error().message;
  ASSERT_EQ(plans->size(), 36u);
  EXPECT_EQ((*plans)[1].seed, 12u);
  EXPECT_EQ((*plans)[0].workload(), "high");
  EXPECT_EQ((*plans)[0].methods, AndreasMethods::ours);
  EXPECT_EQ(std::ranges::count(*plans, 100.0, &AndreasPlan::weights), 16);
  const AndreasPlan& last = plans->back();
  EXPECT_EQ(last.workload(), "load 1.3, slack 2-10");
  EXPECT_EQ(last.arrivals, "by-load");
  EXPECT_EQ(last.jobs_per_node, 40u);
  EXPECT_EQ(last.weights, 1);
  EXPECT_EQ(last.methods, AndreasMethods::few);
  EXPECT_TRUE(read_andreas_plans(path, "tuning")->empty());
}

TEST(AndreasPlans, say_everything_that_is_wrong) {
  const auto path = andreas_cases(
      "[[report]]\nclusters = \"server\"\nnodes = [1.5]\nloads = [0]\nslacks = [[1, 2, 3]]\n"
      "sed = 7\nmethods = \"most\"\n[[tuning]]\nmethods = \"few\"\n");
  const auto plans = read_andreas_plans(path, "report");
  ASSERT_FALSE(plans);
  const std::string& said = plans.error().message;
  for (const char* part :
       {"is not a list of names of clusters", "is not a list of numbers of nodes",
        "are not all above 0", "is not a list of ranges", "report.sed", "there is no 'most'",
        "tuning.seeds", "tuning.arrivals"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in:\n" << said;
}

TEST(AndreasPlans, that_are_shipped_report_no_seed_for_tuning) {
  const std::filesystem::path path = PENSTOCK_ROOT "/data/studies/andreas/cases.toml";
  const auto tuning = read_andreas_plans(path, "tuning");
  ASSERT_TRUE(tuning) << tuning.error().message;
  for (const AndreasPlan& plan : *tuning) EXPECT_LE(plan.seed, 3u);
  for (const char* group : {"report", "quick"}) {
    const auto plans = read_andreas_plans(path, group);
    ASSERT_TRUE(plans) << plans.error().message;
    EXPECT_FALSE(plans->empty());
    for (const AndreasPlan& plan : *plans) EXPECT_GE(plan.seed, 11u);
  }
}

TEST(AndreasPlans, that_are_shipped_have_five_seeds_with_ten_nodes) {
  const auto plans = read_andreas_plans(PENSTOCK_ROOT "/data/studies/andreas/cases.toml", "report");
  ASSERT_TRUE(plans) << plans.error().message;
  std::map<std::tuple<std::string, std::string, double>, std::set<std::uint64_t>> seeds;
  for (const AndreasPlan& plan : *plans)
    if (plan.nodes == 10) seeds[{plan.cluster, plan.workload(), plan.weights}].insert(plan.seed);
  EXPECT_GE(seeds.size(), 42u);
  for (const auto& [group, some] : seeds) EXPECT_GE(some.size(), 5u);
}

}  // namespace
}  // namespace penstock
