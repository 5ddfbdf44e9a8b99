#include "report/node_runs.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Cluster two_types() {
  Cluster cluster;
  cluster.types = {{.name = "a100"}, {.name = "t4"}};
  return cluster;
}

using Runs = std::vector<NodeRun>;

TEST(NodeRuns, say_how_many_nodes_of_a_kind_follow_each_other) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 3, .gpus = 8}, {.count = 2, .gpus = 4, .type = {1}}});
  add_site(cluster, "south", {{.count = 1, .gpus = 2, .type = {1}}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{3, 8, "a100", 3}, {2, 4, "t4", 2}}));
  EXPECT_EQ(node_runs(cluster, SiteId{1}), (Runs{{1, 2, "t4", 1}}));
}

TEST(NodeRuns, say_how_many_nodes_share_a_switch) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 10, .gpus = 8, .rack = 4}, {.count = 4, .gpus = 8}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{10, 8, "a100", 4}, {4, 8, "a100", 4}}));
}

TEST(NodeRuns, join_like_groups_whose_switches_are_full) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 8, .gpus = 8, .rack = 4}, {.count = 3, .gpus = 8}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{11, 8, "a100", 4}}));
}

}  // namespace
}  // namespace penstock
