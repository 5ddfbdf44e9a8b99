#include "model/cluster.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Cluster two_sites() {
  Cluster cluster{.types = {{.name = "big"}, {.name = "small"}}};
  add_site(cluster, "north", {{.count = 3, .gpus = 8, .type = {0}, .rack = 2}});
  add_site(cluster, "south",
           {{.count = 2, .gpus = 4, .type = {1}, .base = Watts(100)}, {.count = 1, .gpus = 1}});
  return cluster;
}

TEST(Cluster, gpus_are_numbered_consecutively_over_all_sites) {
  const Cluster cluster = two_sites();
  EXPECT_EQ(cluster.gpu_count(), 24u + 8 + 1);
  EXPECT_EQ(cluster.node(NodeId{3}).first, GpuId{24});
  EXPECT_EQ(cluster.node_of[27], NodeId{3});
  EXPECT_EQ(cluster.node_of[28], NodeId{4});
  EXPECT_EQ(cluster.type(cluster.node(GpuId{28})).name, "small");
}

TEST(Cluster, a_rack_holds_as_many_nodes_as_it_is_told) {
  const Cluster cluster = two_sites();
  EXPECT_EQ(cluster.node(NodeId{0}).rack, cluster.node(NodeId{1}).rack);
  EXPECT_NE(cluster.node(NodeId{1}).rack, cluster.node(NodeId{2}).rack);
  EXPECT_EQ(cluster.racks, 4u);
}

TEST(Cluster, groups_without_a_rack_size_have_one_switch_each) {
  const Cluster cluster = two_sites();
  EXPECT_EQ(cluster.node(NodeId{3}).rack, cluster.node(NodeId{4}).rack);
  EXPECT_NE(cluster.node(NodeId{4}).rack, cluster.node(NodeId{5}).rack);
}

TEST(Cluster, a_site_knows_its_nodes_and_gpus) {
  const Cluster cluster = two_sites();
  EXPECT_EQ(cluster.sites[1].name, "south");
  EXPECT_EQ(cluster.sites[1].first_node, NodeId{3});
  EXPECT_EQ(cluster.sites[1].nodes, 3u);
  EXPECT_EQ(cluster.sites[1].gpus, 9u);
  EXPECT_EQ(cluster.node(NodeId{3}).base, Watts(100));
}

TEST(Cluster, a_group_shares_its_tables_and_others_have_none) {
  Cluster cluster = two_sites();
  EXPECT_FALSE(cluster.rents());
  add_site(
      cluster, "west",
      {{.count = 2, .gpus = 1, .tables = {.power = {Watts(0), Watts(530)}, .rent = {}}},
       {.count = 1, .gpus = 1, .tables = {.power = {}, .rent = {MoneyRate(1), MoneyRate(2)}}}});
  EXPECT_EQ(cluster.node_tables.size(), 2u);
  EXPECT_EQ(cluster.tables(cluster.node(NodeId{0})), nullptr);
  EXPECT_EQ(cluster.tables(cluster.node(NodeId{6})), cluster.tables(cluster.node(NodeId{7})));
  EXPECT_TRUE(cluster.has_power_table(cluster.node(NodeId{6})));
  EXPECT_FALSE(cluster.has_power_table(cluster.node(NodeId{8})));
  EXPECT_TRUE(cluster.rents());
  EXPECT_TRUE(cluster.rents(SiteId{2}));
  EXPECT_FALSE(cluster.rents(SiteId{0}));
}

}  // namespace
}  // namespace penstock
