#include "registry/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "learn/geo/learned_routers.h"
#include "learn/mars/learned_policies.h"
#include "policies/core_policies.h"

namespace penstock {
namespace {

TEST(EveryPolicy, is_there_once_with_a_summary_and_options_that_say_what_they_mean) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : every_policy().all()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    std::set<std::string_view> options;
    for (const OptionSpec& option : entry.options) {
      EXPECT_TRUE(options.insert(option.name).second) << entry.name << " " << option.name;
      EXPECT_FALSE(option.meaning.empty()) << entry.name << " " << option.name;
    }
  }
}

TEST(EveryPolicy, that_is_written_comes_before_those_that_are_learned) {
  const auto all = every_policy().all();
  const std::size_t written = core_policies().all().size();
  ASSERT_EQ(all.size(), written + learned_policy_entries().size());
  for (std::size_t i = 0; i < written; ++i) EXPECT_EQ(all[i].name, core_policies().all()[i].name);
  EXPECT_EQ(all[written].name, "rl");
  EXPECT_EQ(all[written + 1].name, "mars");
}

TEST(EveryPolicy, can_be_made_with_its_defaults) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "here", {{.count = 1, .gpus = 2}});
  for (const PolicyEntry& entry : every_policy().all())
    EXPECT_TRUE(every_policy().make({.cluster = cluster}, entry.name, {})) << entry.name;
}

TEST(EveryPolicy, that_is_learned_has_the_option_clock_too) {
  const auto options = every_policy().find("mars")->options;
  EXPECT_NE(std::ranges::find(options, "clock", &OptionSpec::name), options.end());
}

TEST(EveryRouter, is_there_once) {
  std::set<std::string_view> names;
  for (const RouterEntry& entry : every_policy().routers())
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
  EXPECT_EQ(names.size(), core_policies().routers().size() + learned_router_entries().size());
}

TEST(EveryRouter, is_offered_by_geo) {
  EXPECT_TRUE(every_policy().check("geo", {{"router", "thrifty"}}));
  EXPECT_FALSE(core_policies().check("geo", {{"router", "thrifty"}})) << "it is of a layer above";
  const auto checked = every_policy().check("geo", {{"router", "best"}});
  ASSERT_FALSE(checked);
  for (const RouterEntry& entry : every_policy().routers())
    EXPECT_NE(checked.error().message.find(entry.name), std::string::npos) << entry.name;
}

TEST(EverySite, may_have_a_learned_policy) {
  EXPECT_TRUE(every_policy().check("geo", {{"site", "mars"}, {"site.futures", "2"}}));
  EXPECT_FALSE(core_policies().check("geo", {{"site", "mars"}}));
}

}  // namespace
}  // namespace penstock
