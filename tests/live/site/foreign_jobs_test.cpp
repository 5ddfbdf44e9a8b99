#include "live/site/foreign_jobs.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

class ForeignJobsTest : public SiteParts {
 protected:
  /// Slurm shows one job of another partition, in this state.
  void show(const std::string& state_word) {
    state.shown.take(
        {{"jobs",
          {{{"job", 9},
            {"ref", "9"},
            {"partition", "other"},
            {"state", state_word},
            {"started", 100},
            {"gpus_held", {{{"node", "n0"}, {"type", "a"}, {"indices", {0u, 1u, 2u}}}}}}}}});
    foreign.unblock_ended();
    foreign.block_all(kNoon);
  }
};

TEST_F(ForeignJobsTest, hold_their_gpus_while_they_run) {
  show("running");
  show("running");
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 1u);
  EXPECT_EQ(reported(), "submitted0 started0 ");
  show("completed");
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 4u);
  EXPECT_EQ(reported(), "finished0 ");
}

TEST_F(ForeignJobsTest, are_also_jobs_of_ours_that_were_left_to_slurm) {
  TrackedJob& job = add_job("9");
  show("running");
  EXPECT_EQ(reported(), "") << "it is governed";
  job.handed_over = true;
  state.jobs.clear_id(job);
  show("running");
  EXPECT_EQ(reported(), "submitted1 started1 ");
}

}  // namespace
}  // namespace penstock
