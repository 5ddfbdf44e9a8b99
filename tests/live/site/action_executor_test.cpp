#include "live/site/action_executor.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class ActionExecutorTest : public SiteParts {
 protected:
  void act(const Action& action) { actions.execute({action, {"why", kNoon}}); }
};

TEST_F(ActionExecutorTest, a_start_takes_gpus_and_is_asked_for_with_its_reason) {
  TrackedJob& job = add_job("1");
  act(Start{*job.id, {{GpuId{0}, 2}}});
  EXPECT_TRUE(job.runs);
  EXPECT_EQ(job.clock_mhz, 1200u);
  EXPECT_EQ(job.start_reason, "why");
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 2u);
  EXPECT_EQ(asked().substr(0, 6), "start ");
}

TEST_F(ActionExecutorTest, preempting_a_start_that_has_not_come_takes_it_back) {
  TrackedJob& job = add_job("1");
  act(Start{*job.id, {{GpuId{0}, 2}}});
  (void)asked();
  act(Preempt{*job.id});
  EXPECT_FALSE(job.runs);
  EXPECT_EQ(job.op.kind, PendingOp::Kind::none);
  EXPECT_EQ(asked().substr(0, 5), "hold ");
}

TEST_F(ActionExecutorTest, a_job_that_is_moved_stops_first_and_starts_where_it_goes) {
  TrackedJob& job = add_placed("1", 0);
  job.confirmed = true;
  act(Migrate{*job.id, {{GpuId{4}, 2}}});
  EXPECT_EQ(job.where.front().first, GpuId{4});
  EXPECT_EQ(job.drew, Watts(800)) << "until it has stopped";
  EXPECT_EQ(asked().substr(0, 8), "requeue ");
  act(Migrate{*job.id, {{GpuId{6}, 2}}});
  EXPECT_EQ(asked(), "") << "it stops already";
}

TEST_F(ActionExecutorTest, a_clock_is_set_without_asking_slurm) {
  TrackedJob& job = add_placed("1", 0);
  act(SetClock{*job.id, 900});
  EXPECT_EQ(job.clock_mhz, 900u);
  EXPECT_EQ(asked(), "");
  EXPECT_EQ(noted(), "clock; ");
}

TEST_F(ActionExecutorTest, a_node_that_does_not_sleep_is_told_as_failed) {
  act(Sleep{NodeId{1}});
  const auto queued = commands.take();
  ASSERT_EQ(queued.size(), 1u);
  EXPECT_EQ(bridge::to_json(queued[0].command),
            R"({"do":"power_down","nodes":["n1"],"reason":"penstock"})");
  queued[0].then(refusal("denied"));
  EXPECT_EQ(reported(), "failed1 ");
}

}  // namespace
}  // namespace penstock
