#include "experiment/experiment.h"

#include <gtest/gtest.h>

#include "experiment/two_jobs.h"

namespace penstock {
namespace {

std::string error_of(const ExperimentSpec& spec) {
  const auto experiment = load_experiment(spec);
  return experiment ? "" : experiment.error().message;
}

TEST(LoadExperiment, reads_a_scenario_from_text) {
  const auto experiment = load_experiment(two_jobs({{"fifo"}}));
  ASSERT_TRUE(experiment);
  ASSERT_EQ(experiment->variants.size(), 1u);
  EXPECT_EQ(experiment->variants.front()->scenario.name, "two-jobs");
  EXPECT_EQ(experiment->variants.front()->workload.count, 2u);
}

TEST(LoadExperiment, names_file_line_and_key_of_a_mistake) {
  ExperimentSpec spec = two_jobs({});
  spec.text->toml += "restrat = \"30 s\"\n";
  const std::string error = error_of(spec);
  EXPECT_TRUE(error.starts_with("two-jobs.toml:17: costs.restrat: ")) << error;
}

TEST(LoadExperiment, says_which_policies_there_are) {
  const std::string error = error_of(two_jobs({{"fifi"}}));
  EXPECT_TRUE(error.starts_with("--policy: ")) << error;
  EXPECT_NE(error.find("fifo"), std::string::npos) << error;
}

TEST(LoadExperiment, names_a_trace_that_is_not_there) {
  ExperimentSpec spec = two_jobs({});
  spec.text->dir = "/nowhere";
  EXPECT_NE(error_of(spec).find("/nowhere/two-jobs.csv"), std::string::npos) << error_of(spec);
}

TEST(LoadExperiment, makes_a_variant_of_each_combination_the_last_key_fastest) {
  ExperimentSpec spec = two_jobs({{"fifo"}});
  spec.overrides = {"policy.name=fifo"};
  spec.vary = {{"site.pue", {"1", "2"}}, {"policy.backfill", {"none", "easy"}}};
  const auto combinations = combinations_of(spec);
  ASSERT_TRUE(combinations);
  EXPECT_EQ(*combinations, (std::vector<Combination>{{"site.pue=1", "policy.backfill=none"},
                                                     {"site.pue=1", "policy.backfill=easy"},
                                                     {"site.pue=2", "policy.backfill=none"},
                                                     {"site.pue=2", "policy.backfill=easy"}}));
  const auto experiment = load_experiment(spec);
  ASSERT_TRUE(experiment);
  ASSERT_EQ(experiment->variants.size(), 4u);
  const Variant& second = *experiment->variants[1];
  EXPECT_EQ(second.swept, (Options{{"site.pue", "1"}}));
  EXPECT_EQ(second.policy_options, (Options{{"backfill", "easy"}}));
}

TEST(LoadExperiment, calls_a_bad_value_of_a_sweep_by_its_name) {
  ExperimentSpec spec = two_jobs({{"fifo"}});
  spec.vary = {{"site.pue", {"many"}}};
  const std::string error = error_of(spec);
  EXPECT_NE(error.find("--vary site.pue=many: "), std::string::npos) << error;
}

TEST(PoliciesOf, named_ones_go_before_the_scenarios_and_take_its_options) {
  Variant variant;
  EXPECT_EQ(policies_of(variant, {}).front().name, "fifo");
  variant.scenario.policies = {{"sjf"}};
  EXPECT_EQ(policies_of(variant, {}).front().name, "sjf");
  variant.policy_options = {{"backfill", "easy"}};
  const auto named = policies_of(variant, {{"las"}, {"f1", {{"backfill", "none"}}}});
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].options.at("backfill"), "easy");
  EXPECT_EQ(named[1].options.at("backfill"), "none");
}

}  // namespace
}  // namespace penstock
