// What nodes cost by used GPUs: `power_by_used` and `rent_by_used` of [[site.nodes]].
#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

const std::filesystem::path kData = std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data";

/// One site of nodes with two GPUs; `lines` of [[site.nodes]] begin with line 8.
Result<Scenario> with_nodes(const std::string& lines, const std::string& rest = "") {
  return parse_scenario(
      "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n"
      "[[site]]\nname = 'a'\n[[site.nodes]]\ngpu = 'k80'\n" +
          lines + rest,
      "t.toml", kData);
}

std::string trouble(const std::string& lines, const std::string& rest = "") {
  const auto scenario = with_nodes(lines, rest);
  return scenario ? "no error" : scenario.error().message;
}

TEST(NodeTables, are_read_for_every_number_of_used_gpus) {
  const auto scenario = with_nodes(
      "gpus = 2\ncount = 3\npower_by_used = ['10 W', '0.4 kW', '470 W']\n"
      "rent_by_used = ['0 USD/h', '0.72 USD/h', '0.72 USD/h']\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Cluster& cluster = scenario->cluster;
  ASSERT_EQ(cluster.node_tables.size(), 1u) << "like nodes share their tables";
  for (const Node& node : cluster.nodes) {
    ASSERT_NE(cluster.tables(node), nullptr);
    EXPECT_EQ(cluster.tables(node)->power, (std::vector{Watts(10), Watts(400), Watts(470)}));
    EXPECT_EQ(cluster.tables(node)->rent.front(), MoneyRate(0));
    EXPECT_DOUBLE_EQ(cluster.tables(node)->rent.back().value(), 0.0002);
    EXPECT_EQ(node.base, Watts(0)) << "it is in the table";
    EXPECT_EQ(node.base_sleep, Watts(10)) << "no more than unused";
  }
  EXPECT_TRUE(cluster.rents());
  EXPECT_EQ(scenario->currency, "USD");
}

TEST(NodeTables, may_be_of_rent_alone_or_stand_beside_a_power_asleep) {
  const auto rented =
      with_nodes("gpus = 1\nbase_power = '90 W'\nrent_by_used = ['0 EUR/h', '1 EUR/h']\n");
  ASSERT_TRUE(rented) << rented.error().message;
  EXPECT_EQ(rented->cluster.nodes[0].base, Watts(90));
  EXPECT_FALSE(rented->cluster.has_power_table(rented->cluster.nodes[0]));
  const auto asleep =
      with_nodes("gpus = 1\nsleep_power = '7 W'\npower_by_used = ['0 W', '530 W']\n");
  ASSERT_TRUE(asleep) << asleep.error().message;
  EXPECT_EQ(asleep->cluster.nodes[0].base_sleep, Watts(7));
  EXPECT_FALSE(asleep->cluster.rents());
}

TEST(NodeTables, are_absent_unless_given) {
  const auto scenario = with_nodes("gpus = 2\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_TRUE(scenario->cluster.node_tables.empty());
  EXPECT_EQ(scenario->cluster.tables(scenario->cluster.nodes[0]), nullptr);
}

TEST(NodeTables, have_an_entry_more_than_gpus) {
  EXPECT_EQ(trouble("gpus = 2\npower_by_used = ['1 W', '2 W']\n"
                    "rent_by_used = ['0 EUR/h', '1 EUR/h', '2 EUR/h', '3 EUR/h']\n"),
            "t.toml:9: site.nodes.power_by_used: has 2 entries, but a node of 2 GPUs needs 3: for "
            "0 to 2 used ones\n"
            "t.toml:10: site.nodes.rent_by_used: has 4 entries, but a node of 2 GPUs needs 3: for "
            "0 to 2 used ones");
  EXPECT_EQ(trouble("gpus = 0\npower_by_used = ['1 W', '2 W']\n"),
            "t.toml:8: site.nodes.gpus: must be at least 1, not 0");
}

TEST(NodeTables, never_fall) {
  EXPECT_EQ(trouble("gpus = 2\npower_by_used = ['0 W', '0.53 kW', '500 W']\n"),
            "t.toml:9: site.nodes.power_by_used: falls from 0.53 kW of 1 used GPUs to 500 W of 2; "
            "one more used GPU can not make a node cheaper");
}

TEST(NodeTables, hold_nothing_negative_and_nothing_without_its_unit) {
  EXPECT_EQ(trouble("gpus = 1\npower_by_used = ['-3 W', '2 W']\nrent_by_used = ['0 EUR/h', 2]\n"),
            "t.toml:9: site.nodes.power_by_used: of 0 used GPUs: must be at least 0, not -3 W\n"
            "t.toml:10: site.nodes.rent_by_used: of 1 used GPUs: '2' has no unit; a rent can be "
            "in: EUR/h USD/h (or another currency)");
  EXPECT_EQ(trouble("gpus = 1\npower_by_used = ['0 W', ['2 W']]\n"),
            "t.toml:9: site.nodes.power_by_used: of 1 used GPUs: '' does not begin with a finite "
            "number");
  EXPECT_EQ(trouble("gpus = 1\npower_by_used = '2 W'\n"),
            "t.toml:9: site.nodes.power_by_used: must be a list such as [\"0 W\", \"530 W\", "
            "\"700 W\"]");
}

TEST(NodeTables, of_power_exclude_a_power_of_the_node_alone) {
  EXPECT_EQ(trouble("gpus = 1\npower_by_used = ['0 W', '530 W']\nbase_power = '90 W'\n"),
            "t.toml:10: site.nodes.base_power: cannot stand beside power_by_used, which says what "
            "the whole node draws; possible: only one of them");
}

TEST(NodeTables, of_rent_are_in_the_currency_of_the_scenario) {
  const std::string rents = "gpus = 1\nrent_by_used = ['0 USD/h', '1 USD/h']\n";
  EXPECT_EQ(trouble(rents, "[costs]\ncurrency = 'USD'\n"), "no error");
  EXPECT_EQ(
      trouble(rents, "[costs]\ncurrency = 'EUR'\n"),
      "t.toml:9: site.nodes.rent_by_used: is in USD, but costs.currency says EUR; currencies "
      "are never mixed: convert the series first, or say in costs.exchange what a USD is worth");
  EXPECT_EQ(trouble("gpus = 1\nrent_by_used = ['0 EUR/h', '1 USD/h']\n"),
            "t.toml:9: site.nodes.rent_by_used: is in USD, but site.nodes.rent_by_used at t.toml:9 "
            "is in EUR; currencies are never mixed: convert the series first, or say in "
            "costs.exchange what "
            "a USD is worth");
}

}  // namespace
}  // namespace penstock
