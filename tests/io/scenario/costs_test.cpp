#include <gtest/gtest.h>

#include "io/scenario/data_folder.h"
#include "io/scenario/scenario.h"

namespace penstock {
namespace {

/// A good scenario with some tables more.
Result<Scenario> with_costs(const std::string& tables) {
  return parse_scenario(
      "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n"
      "[[site]]\nname = 'a'\n[[site.nodes]]\ngpus = 8\ngpu = 'a100'\n" +
          tables,
      "c.toml", kData, {});
}

TEST(ScenarioCosts, take_the_only_currency_that_is_named_anywhere) {
  const auto scenario = with_costs("[costs]\ncarbon_price = '50 USD/t'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->currency, "USD");
  EXPECT_DOUBLE_EQ(scenario->carbon_price, 50e-6);
}

TEST(ScenarioCosts, exchange_what_is_in_another_currency_and_say_so) {
  const auto used = with_costs(
      "[costs]\ncurrency = 'EUR'\nexchange = { USD = 0.8 }\ncarbon_price = '50 USD/t'\n");
  ASSERT_TRUE(used) << used.error().message;
  EXPECT_DOUBLE_EQ(used->carbon_price, 40e-6);
  const std::string note = "a USD counts as 0.8 EUR, as costs.exchange says";
  EXPECT_EQ(std::ranges::count(used->notes, note), 1);
  const auto unused = with_costs(
      "[costs]\ncurrency = 'EUR'\nexchange = { USD = 0.8 }\ncarbon_price = '50 EUR/t'\n");
  ASSERT_TRUE(unused) << unused.error().message;
  EXPECT_DOUBLE_EQ(unused->carbon_price, 50e-6);
  EXPECT_EQ(std::ranges::count(unused->notes, note), 0);
}

TEST(ScenarioCosts, let_nodes_sleep_only_if_that_is_asked_for) {
  const auto awake = with_costs("[costs]\nrestart = '30 s'\n");
  ASSERT_TRUE(awake) << awake.error().message;
  EXPECT_EQ(awake->costs.restart, std::chrono::seconds(30));
  EXPECT_FALSE(awake->costs.sleep_after);
  const auto sleepy = with_costs("[costs]\nnode_sleep = { after = '5 min', wake = '90 s' }\n");
  ASSERT_TRUE(sleepy) << sleepy.error().message;
  EXPECT_EQ(sleepy->costs.sleep_after, std::chrono::minutes(5));
  EXPECT_EQ(sleepy->costs.wake, std::chrono::seconds(90));
}

TEST(ScenarioFailures, must_leave_jobs_ten_times_what_a_restart_and_a_checkpoint_take) {
  const auto failures = [](const std::string& mtbf) {
    return with_costs("[costs]\nrestart = '1 min'\n[failures]\nmtbf = '" + mtbf +
                      "'\nmttr = '1 h'\ncheckpoint = '9 min'\n");
  };
  const auto enough = failures("100 min");
  ASSERT_TRUE(enough) << enough.error().message;
  EXPECT_EQ(enough->failures->mtbf, std::chrono::minutes(100));
  const auto short_of = failures("99 min");
  ASSERT_FALSE(short_of);
  EXPECT_EQ(short_of.error().message,
            "c.toml:12: failures.mtbf: 99 min is so short that jobs may never get on; possible: at "
            "least 10 x (costs.restart + checkpoint), which is 100 min");
}

TEST(ScenarioUtility, has_weights_from_0_up_and_defaults) {
  const auto scenario = with_costs("[utility]\ncost = 0.25\nlate = 0\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->utility.cost, 0.25);
  EXPECT_EQ(scenario->utility.late, 0);
  EXPECT_EQ(scenario->utility.carbon, UtilityWeights{}.carbon);
  const auto negative = with_costs("[utility]\ncarbon = -1\n");
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message, "c.toml:10: utility.carbon: must be at least 0, not -1");
}

}  // namespace
}  // namespace penstock
