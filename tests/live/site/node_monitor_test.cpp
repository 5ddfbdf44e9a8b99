#include "live/site/node_monitor.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

class NodeMonitorTest : public SiteParts {
 protected:
  void show(const std::string& node, const std::string& state_word) {
    nodes.take({{"nodes", {{{"name", node}, {"state", state_word}}}}});
    nodes.compare_all(kNoon);
  }
};

TEST_F(NodeMonitorTest, an_empty_node_that_cannot_work_fails_and_comes_back) {
  show("n1", "down");
  show("n1", "down");
  EXPECT_EQ(reported(), "failed1 ");
  show("n1", "idle");
  EXPECT_EQ(reported(), "repaired1 ");
  EXPECT_EQ(noted(), "node; node; ");
}

TEST_F(NodeMonitorTest, the_rest_of_a_node_with_a_running_job_is_drained) {
  add_placed("1", 4).confirmed = true;
  show("n1", "down");
  EXPECT_EQ(state.mirror.free_on(NodeId{1}), 0u);
  EXPECT_EQ(reported(), "submitted1 started1 ");
}

TEST_F(NodeMonitorTest, a_start_that_has_not_come_is_undone) {
  TrackedJob& job = add_placed("1", 4);
  commands.start(job, {"why", kNoon});
  show("n1", "down");
  EXPECT_EQ(reported(), "interrupted0 failed1 ");
  EXPECT_TRUE(job.not_before);
}

TEST_F(NodeMonitorTest, a_node_that_was_not_powered_down_fails_until_it_is_looked_at) {
  nodes.on_power_down_failed(NodeId{0});
  nodes.on_power_down_failed(NodeId{0});
  EXPECT_EQ(reported(), "failed0 ");
}

TEST_F(NodeMonitorTest, nodes_of_others_are_passed_over) {
  show("elsewhere", "down");
  EXPECT_EQ(reported(), "");
}

}  // namespace
}  // namespace penstock
