#include "live/site/gpu_blocks.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

class GpuBlocksTest : public SiteParts {};

TEST_F(GpuBlocksTest, a_job_of_the_schedulers_stands_for_whoever_has_the_gpus) {
  const auto block = blocks.block("other/7", {{GpuId{0}, 3}}, kNoon, kNoon);
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 1u);
  EXPECT_EQ(reported(), "submitted0 started0 ");
  blocks.unblock(block);
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 4u);
  EXPECT_EQ(reported(), "finished0 ");
}

TEST_F(GpuBlocksTest, draining_takes_what_is_free_and_is_given_back) {
  add_placed("1", 0);
  blocks.drain(NodeId{0}, kNoon);
  EXPECT_TRUE(blocks.is_drained(NodeId{0}));
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 0u);
  EXPECT_EQ(blocks.unused_on(NodeId{0}), 2u);
  blocks.undrain(NodeId{0});
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 2u);
  EXPECT_FALSE(blocks.has_bad_nodes());
}

TEST_F(GpuBlocksTest, a_node_fails_and_is_repaired_once) {
  EXPECT_TRUE(blocks.set_down(NodeId{1}));
  EXPECT_FALSE(blocks.set_down(NodeId{1}));
  EXPECT_TRUE(blocks.set_up(NodeId{1}));
  EXPECT_FALSE(blocks.set_up(NodeId{1}));
  EXPECT_EQ(reported(), "failed1 repaired1 ");
}

}  // namespace
}  // namespace penstock
