#include "policies/core_policies.h"

#include <gtest/gtest.h>

#include <set>

namespace penstock {
namespace {

TEST(Registry, has_the_whole_order_family) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : core_policies().all()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
  }
  for (const char* name : {"fifo", "sjf", "srtf", "smallest", "edf", "priority", "wfp3", "unicep",
                           "f1", "f2", "f3", "f4", "las"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Registry, makes_every_policy_with_its_defaults) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "here", {{.count = 1, .gpus = 2}});
  for (const PolicyEntry& entry : core_policies().all())
    EXPECT_TRUE(core_policies().make({.cluster = cluster}, entry.name, {})) << entry.name;
}

TEST(Registry, refuses_shared_gpus_to_policies_that_place_whole_ones) {
  Cluster cluster;
  cluster.types.resize(1);
  cluster.share = 4;
  add_site(cluster, "here", {{.count = 1, .gpus = 8}});
  const auto fifo = core_policies().make({.cluster = cluster}, "fifo", {});
  ASSERT_FALSE(fifo);
  EXPECT_EQ(fifo.error().message,
            "policy 'fifo': places whole GPUs, and each is shared by 4 here; possible: nodes with "
            "share = 1, or a policy that places parts of GPUs: andreas");
}

TEST(Registry, accepts_the_choices_of_the_contract) {
  for (const char* backfill : {"none", "easy", "conservative", "7"})
    EXPECT_TRUE(core_policies().check("fifo", {{"backfill", backfill}})) << backfill;
  for (const char* place : {"first-fit", "best-fit", "consolidate", "buddy"})
    EXPECT_TRUE(core_policies().check("fifo", {{"place", place}})) << place;
}

/// The message of a refusal must hold what was wrong and what is possible.
void expect_refused(std::string_view name, const Options& options,
                    const std::vector<std::string>& said) {
  const Result<Done> checked = core_policies().check(name, options);
  ASSERT_FALSE(checked);
  for (const std::string& part : said)
    EXPECT_NE(checked.error().message.find(part), std::string::npos)
        << checked.error().message << " lacks " << part;
}

TEST(Registry, says_what_is_possible_when_something_is_not) {
  expect_refused("best", {}, {"best", "fifo", "las"});
  expect_refused("fifo", {{"backfil", "easy"}}, {"backfil", "backfill"});
  expect_refused("fifo", {{"backfill", "often"}}, {"often", "easy", "conservative"});
  expect_refused("fifo", {{"backfill", "-1"}}, {"-1"});
  expect_refused("fifo", {{"place", "anywhere"}}, {"anywhere", "first-fit", "buddy"});
  expect_refused("las", {{"quantum", "3"}}, {"3"});
}

TEST(Registry, keeps_no_energy_budget_where_nodes_draw_by_a_table) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "attic",
           {{.count = 1, .gpus = 1, .tables = {.power = {Watts(0), Watts(530)}, .rent = {}}}});
  EXPECT_TRUE(core_policies().make({.cluster = cluster}, "powerflow", {}));
  for (const char* budget : {"40 kWh/h", "900 kWh"}) {
    const auto made =
        core_policies().make({.cluster = cluster}, "powerflow", {{"energy_budget", budget}});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(
                  "energy_budget: nodes of site 'attic' have power_by_used, which no budget can be "
                  "kept with; possible: energy_budget = 'none', or base_power instead"),
              std::string::npos)
        << made.error().message;
  }
}

}  // namespace
}  // namespace penstock
