#include "study/andreas/andreas_study.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(AndreasStudy, runs_few_methods_where_asked_and_other_weights) {
  AndreasPlan plan{"server", 2, "high", 11, 1, AndreasMethods::few};
  const auto usual = run_andreas_case(plan, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(usual) << usual.error().message;
  plan.weights = 10;
  const auto heavy = run_andreas_case(plan, {.data = PENSTOCK_ROOT "/data"});
  EXPECT_EQ(heavy->runs.size(), 4u);
  // First come, first served is as late as before, and pays ten times as much.
  EXPECT_NEAR(*heavy->run("fifo").tardiness_cost / *usual->run("fifo").tardiness_cost, 10, 1e-6);
}

TEST(AndreasStudy, draws_by_load) {
  AndreasPlan plan{"server", 2, "by-load", 11, 1, AndreasMethods::rivals};
  plan.load = 0.5;
  plan.slack = {2, 10};
  plan.jobs_per_node = 5;
  const auto result = run_andreas_case(plan, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->runs.size(), 9u);
  EXPECT_EQ(result->run("atc").jobs_finished, 11);
}

TEST(AndreasStudy, runs_every_method_on_a_workload) {
  const auto result = run_andreas_case({"server", 2, "low", 11}, {.data = PENSTOCK_ROOT "/data"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->runs.size(), 14u);
  for (const char* method :
       {"fifo", "edf unique", "atc", "rg as published", "greedy", "pr", "rg published"}) {
    ASSERT_TRUE(result->has(method)) << method;
    EXPECT_EQ(result->run(method).jobs_finished, result->run(method).jobs_submitted) << method;
    EXPECT_LE(*result->run(method).bound_total_cost, *result->run(method).total_cost) << method;
  }
}

}  // namespace
}  // namespace penstock
