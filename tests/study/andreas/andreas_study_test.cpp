#include "study/andreas/andreas_study.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(AndreasPlans, give_larger_clusters_fewer_seeds) {
  const std::vector<AndreasPlan> all = andreas_plans(false);
  // Two clusters, five arrivals, 5 + 3 + 2 + 1 seeds, and 5 + 5 with other weights.
  EXPECT_EQ(all.size(), 210u);
  EXPECT_EQ(std::ranges::count(all, 100.0, &AndreasPlan::weights), 50);
  EXPECT_EQ(std::ranges::count(all, 100u, &AndreasPlan::nodes), 10);
  for (const AndreasPlan& plan : all) EXPECT_GE(plan.seed, 11u);
  EXPECT_EQ(andreas_plans(true).size(), 20u);
}

AndreasCase one_job(std::uint64_t seed, double fifo, double pr) {
  const auto run = [](double total) {
    RunSummary summary;
    summary.jobs_submitted = 1;
    summary.preemptions = summary.resizes = summary.migrations = 0;
    summary.energy_cost = summary.total_cost = total;
    return summary;
  };
  return {{"server", 10, "high", seed},
          {{"fifo", run(fifo)}, {"edf", run(fifo)}, {"priority", run(fifo)}, {"pr", run(pr)}}};
}

TEST(AndreasText, has_the_mean_saving_and_its_interval) {
  // 20 and 40 % saved: 30 % on average, and Student's t for one degree of freedom is 12.7
  const std::string text = andreas_text({one_job(11, 10, 8), one_job(12, 10, 6)});
  EXPECT_NE(text.find("pr                    2    30.0 ±127.1 %"), std::string::npos) << text;
}

TEST(AndreasText, tells_other_weights_apart) {
  AndreasCase heavy = one_job(11, 10, 11);
  heavy.weights = 100;
  const std::string text = andreas_text({one_job(11, 10, 8), heavy});
  EXPECT_NE(text.find("pr                    1    20.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    100          1   -10.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("server, 10 nodes x 100"), std::string::npos) << text;
}

TEST(AndreasCsv, has_a_row_for_each_run) {
  const std::string csv = andreas_csv({one_job(11, 10, 8)});
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  EXPECT_NE(csv.find("server,10,high,11,1,pr,1,8,0,8,0,0,0,0,0,0,0,0\n"), std::string::npos) << csv;
}

TEST(AndreasStudy, runs_pr_alone_with_other_weights) {
  const auto result =
      run_andreas_case({"server", 2, "high", 11, 10}, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(result) << result.error().message;
  const auto usual = run_andreas_case({"server", 2, "high", 11}, {.data = PENSTOCK_ROOT "/data"});
  EXPECT_EQ(result->runs.size(), 4u);
  // First come, first served is as late as before, and pays ten times as much.
  EXPECT_NEAR(*result->run("fifo").tardiness_cost / *usual->run("fifo").tardiness_cost, 10, 1e-6);
}

TEST(AndreasStudy, runs_every_method_on_a_workload) {
  const auto result = run_andreas_case({"server", 2, "low", 11}, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->runs.size(), 9u);
  for (const char* method : {"fifo", "edf", "priority", "greedy", "pr", "rg published"}) {
    ASSERT_TRUE(result->has(method)) << method;
    EXPECT_EQ(result->run(method).jobs_finished, result->run(method).jobs_submitted) << method;
    EXPECT_LE(*result->run(method).bound_total_cost, *result->run(method).total_cost) << method;
  }
}

}  // namespace
}  // namespace penstock
