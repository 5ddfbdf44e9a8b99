#include "experiment/sweep/plan.h"

#include <gtest/gtest.h>

#include "experiment/two_jobs.h"

namespace penstock {
namespace {

TEST(ParseAxis, splits_at_commas_outside_quotes_and_brackets) {
  const auto axis = parse_axis("site.price={ fixed = \"1,5\" },[1,2],x");
  ASSERT_TRUE(axis);
  EXPECT_EQ(axis->key, "site.price");
  EXPECT_EQ(axis->values, (std::vector<std::string>{"{ fixed = \"1,5\" }", "[1,2]", "x"}));
}

TEST(ParseAxis, refuses_what_is_no_axis) {
  EXPECT_EQ(parse_axis("pue").error().message, "--vary pue: is not key=value,value,...");
  EXPECT_EQ(parse_axis("pue=1,").error().message, "--vary pue=1,: has an empty value");
  EXPECT_EQ(parse_axes({"a=1", "a=2"}).error().message, "--vary a=2: a varies already");
}

TEST(PlanSweep, has_a_point_for_each_combination_and_policy) {
  ExperimentSpec spec = two_jobs({{"fifo"}, {"sjf"}});
  spec.vary = {{"site.pue", {"1", "2"}}};
  const auto plan = plan_sweep(spec);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->points.size(), 4u);
  EXPECT_EQ(plan->axes, std::vector<std::string>{"site.pue"});
  EXPECT_EQ(plan->points[1].label, "sjf site.pue=1");
  EXPECT_EQ(plan->points[2].combination, 1u);
  EXPECT_TRUE(plan->points[2].folder.starts_with("fifo-site.pue=2-"));
  EXPECT_EQ(plan_sweep(spec)->key, plan->key);
}

TEST(PlanSweep, refuses_two_points_that_are_the_same) {
  const auto plan = plan_sweep(two_jobs({{"fifo"}, {"fifo"}}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "two points are the same: fifo; a policy or a value is named twice");
}

}  // namespace
}  // namespace penstock
