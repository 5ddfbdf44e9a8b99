#include "live/site/gpu_mirror.h"

#include <gtest/gtest.h>

#include "live/live_world.h"

namespace penstock {
namespace {

TEST(GpuMirror, counts_what_is_free_on_each_node) {
  const Cluster cluster = small_cluster(2);
  GpuMirror mirror(cluster, SiteId{0}, {"n0", "n1"});
  EXPECT_EQ(mirror.find("n1"), NodeId{1});
  EXPECT_FALSE(mirror.find("n2"));
  Placement where;
  mirror.pick(NodeId{1}, 3, where);
  EXPECT_EQ(where, (Placement{{GpuId{4}, 3}}));
  EXPECT_EQ(mirror.free_on(NodeId{1}), 4u);  // picking takes nothing
  mirror.take(where);
  EXPECT_EQ(mirror.free_on(NodeId{1}), 1u);
  EXPECT_EQ(mirror.free_on(NodeId{0}), 4u);
  mirror.give_back(where);
  EXPECT_EQ(mirror.free_on(NodeId{1}), 4u);
}

TEST(GpuMirror, begins_where_its_site_does) {
  Cluster cluster = small_cluster(2);
  add_site(cluster, "there", {{.count = 1, .gpus = 2, .type = {}}});
  const GpuMirror mirror(cluster, SiteId{1}, {"m0"});
  EXPECT_EQ(mirror.find("m0"), NodeId{2});
  EXPECT_EQ(mirror.name(NodeId{2}), "m0");
  EXPECT_EQ(mirror.free_on(NodeId{2}), 2u);
}

TEST(GpuMirror, dies_rather_than_give_a_gpu_twice) {
  const Cluster cluster = small_cluster(1);
  GpuMirror mirror(cluster, SiteId{0}, {"n0"});
  mirror.take({{GpuId{0}, 2}});
  EXPECT_DEATH(mirror.take({{GpuId{1}, 1}}), "contains_all");
  EXPECT_DEATH(mirror.give_back({{GpuId{3}, 1}}), "contains_none");
}

TEST(GpuMirror, slurm_gives_each_node_the_same) {
  const Cluster cluster = small_cluster(3);
  const GpuMirror mirror(cluster, SiteId{0}, {"n0", "n1", "n2"});
  const auto one = even_share({{GpuId{0}, 1}, {GpuId{2}, 1}}, cluster, mirror);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->nodes, std::vector<std::string>{"n0"});
  EXPECT_EQ(one->gpus_each, 2u);
  const auto two = even_share({{GpuId{2}, 2}, {GpuId{8}, 2}}, cluster, mirror);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->nodes, (std::vector<std::string>{"n0", "n2"}));
  EXPECT_FALSE(even_share({{GpuId{0}, 4}, {GpuId{4}, 2}}, cluster, mirror));
}

}  // namespace
}  // namespace penstock
