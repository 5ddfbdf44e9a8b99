#include "experiment/budget_check.h"

#include <gtest/gtest.h>

#include "experiment/two_jobs.h"

namespace penstock {
namespace {

TEST(CheckBudget, passes_what_is_no_budget_of_the_whole_run) {
  const auto experiment = load_experiment(two_jobs({}));
  ASSERT_TRUE(experiment);
  const Variant& variant = *experiment->variants.front();
  for (const char* budget : {"none", "1 Wh/h", "many"})
    EXPECT_TRUE(check_budget({"powerflow", {{"energy_budget", budget}}}, variant.scenario,
                             variant.workload))
        << budget;
  EXPECT_TRUE(check_budget({"fifo"}, variant.scenario, variant.workload));
}

/// What is told of this budget for thirty elastic jobs on 16 nodes.
std::vector<std::string> told_of(const std::string& budget, const Options& options = {}) {
  PolicyChoice policy{"powerflow", options};
  policy.options["energy_budget"] = budget;
  const auto experiment =
      load_experiment({.scenario = PENSTOCK_TEST_DIR "/../data/studies/powerflow/elasticflow.toml",
                       .overrides = {"workload.limit=30"},
                       .policies = {{"fifo"}, policy}});
  if (!experiment) return {experiment.error().message};
  return short_budgets(*experiment, 1);
}

TEST(ShortBudgets, are_told_with_what_would_do) {
  EXPECT_TRUE(told_of("none").empty());
  EXPECT_TRUE(told_of("40 kWh/h").empty());
  EXPECT_TRUE(told_of("900 MWh").empty());
  const auto small = told_of("12 MWh");
  ASSERT_EQ(small.size(), 1u);
  const std::string possible = "more than '";
  ASSERT_NE(small[0].find(possible), std::string::npos) << small[0];
  EXPECT_NE(small[0].find("all jobs end"), std::string::npos) << small[0];
  const std::string enough = small[0].substr(small[0].find(possible) + possible.size());
  EXPECT_TRUE(told_of(enough.substr(0, enough.find('\''))).empty()) << enough;
}

TEST(ShortBudgets, leave_jobs_where_the_policy_would_rather_stop) {
  const auto told = told_of("12 MWh", {{"if_short", "stop"}});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("some jobs will not end"), std::string::npos) << told[0];
}

}  // namespace
}  // namespace penstock
