#include "experiment/policy_choice.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ParseChoice, reads_a_name_and_its_options) {
  const auto choice = parse_choice("sjf:backfill=easy:place=buddy");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->name, "sjf");
  EXPECT_EQ(choice->options, (Options{{"backfill", "easy"}, {"place", "buddy"}}));
}

TEST(ParseChoice, refuses_an_option_without_a_value) {
  const std::vector<std::string> texts{"fifo", "sjf:backfill"};
  const auto choices = parse_choices(texts);
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().message, "--policy: 'sjf:backfill' is not name:option=value:...");
}

TEST(CheckChoice, says_what_was_probably_meant) {
  EXPECT_TRUE(check_choice({"sjf", {{"backfill", "easy"}}}));
  EXPECT_TRUE(check_choice({std::string(kRecordedPolicy)}));
  const auto wrong = check_choice({"sfj"});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.ends_with("did you mean 'sjf'?")) << wrong.error().message;
}

TEST(CheckHomes, asks_for_a_router_where_jobs_have_homes) {
  Scenario scenario;
  EXPECT_TRUE(check_homes({"fifo"}, scenario));
  EXPECT_EQ(default_policy(scenario).name, "fifo");
  scenario.workload.origins.emplace();
  scenario.cluster.sites.resize(2);
  EXPECT_EQ(default_policy(scenario).name, "geo");
  EXPECT_TRUE(check_homes({"geo"}, scenario));
  const auto refused = check_homes({"fifo", {{"backfill", "easy"}}}, scenario);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(
      refused.error().message.ends_with("--policy geo:router=local:site=fifo:site.backfill=easy"));
}

TEST(RunLabel, names_the_policy_its_options_and_what_a_sweep_changed) {
  const std::string label = run_label({"sjf", {{"backfill", "easy"}}}, {{"workload.load", "0.5"}});
  EXPECT_EQ(label, "sjf backfill=easy workload.load=0.5");
  EXPECT_EQ(folder_name(label), "sjf-backfill=easy-workload.load=0.5");
  EXPECT_EQ(folder_name("//"), "run");
}

TEST(UnsoundAims, are_told_of_policies_that_search_by_them) {
  EXPECT_TRUE(unsound_aims({{"andreas"}, {"andreas", {{"aim", "pace"}}}}).empty());
  EXPECT_TRUE(unsound_aims({{"andreas", {{"aim", "published"}, {"method", "edf"}}}}).empty());
  EXPECT_TRUE(unsound_aims({{"andreas", {{"aim", "published"}, {"method", "atc"}}}}).empty());
  const auto told = unsound_aims({{"andreas", {{"aim", "published"}, {"method", "rg"}}}});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].starts_with("policy 'andreas:aim=published:method=rg': ")) << told[0];
}

}  // namespace
}  // namespace penstock
