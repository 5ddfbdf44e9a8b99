#include "policy/job_starter.h"

#include <gtest/gtest.h>

#include "policy/place/one_site.h"
#include "worlds/policy_stage.h"

namespace penstock {
namespace {

/// The most GPUs with which the job would be started now.
std::uint32_t most_for(const JobStarter& starter, const JobState& job, const View& view) {
  JobState other = job;
  for (std::uint32_t gpus = 64; gpus > 0; --gpus) {
    JobStarter trial = starter;
    Decision decision;
    other.job.gpus = gpus;
    if (trial.start(other, view, decision, "")) return gpus;
  }
  return 0;
}

/// Two nodes of four GPUs, and whoever wants to start there.
class JobStarterTest : public testing::Test {
 protected:
  /// Where job `index` was started; nothing if it was not.
  std::optional<Placement> start(std::uint32_t index) {
    Decision decision;
    const View view = stage.view();
    starter.update(view);
    const bool began = starter.start(stage.job(index), view, decision, "it is next");
    stage.carry_out(decision);
    last = decision;
    if (!began) return std::nullopt;
    return std::get<Start>(decision.actions.front()).where;
  }
  std::uint32_t free_for(std::uint32_t index) {
    const View view = stage.view();
    starter.update(view);
    return most_for(starter, stage.job(index), view);
  }

  PolicyStage stage{cluster_of({{.count = 2, .gpus = 4}})};
  JobStarter starter{stage.cluster()};
  Decision last{};
};

TEST_F(JobStarterTest, gives_a_gpu_to_one_job_only) {
  for (std::uint32_t i = 0; i < 3; ++i) stage.submit({.id = {i}, .gpus = 3});
  EXPECT_EQ(start(0), gpus(0, 3));
  EXPECT_EQ(start(1), (Placement{{GpuId{3}, 1}, {GpuId{4}, 2}}));
  EXPECT_EQ(free_for(2), 2u);
  EXPECT_EQ(start(2), std::nullopt);
}

TEST_F(JobStarterTest, changes_nothing_if_a_job_does_not_fit) {
  stage.explain = true;
  stage.submit({.id = {0}, .gpus = 9});
  stage.submit({.id = {1}, .gpus = 8});
  EXPECT_EQ(start(0), std::nullopt);
  EXPECT_TRUE(last.actions.empty());
  EXPECT_TRUE(last.because.empty());
  EXPECT_TRUE(start(1));
}

TEST_F(JobStarterTest, says_why_only_to_somebody_who_reads_it) {
  stage.submit({.id = {0}});
  stage.submit({.id = {1}});
  EXPECT_TRUE(start(0));
  EXPECT_TRUE(last.because.empty());
  stage.explain = true;
  EXPECT_TRUE(start(1));
  ASSERT_EQ(last.because.size(), 1u);
  EXPECT_EQ(last.because.front().job, JobId{1});
  EXPECT_EQ(last.because.front().text, "it is next");
}

TEST_F(JobStarterTest, leaves_clock_and_batch_as_they_were_asked_for) {
  stage.submit({.id = {0}});
  EXPECT_TRUE(start(0));
  EXPECT_EQ(std::get<Start>(last.actions.front()).knobs, Knobs{});
}

TEST_F(JobStarterTest, gives_the_gpus_of_a_finished_job_to_the_next) {
  stage.submit({.id = {0}, .gpus = 8});
  stage.submit({.id = {1}, .gpus = 8});
  EXPECT_TRUE(start(0));
  EXPECT_EQ(free_for(1), 0u);
  stage.happen(JobFinished{{0}});
  EXPECT_EQ(start(1), (Placement{{GpuId{0}, 4}, {GpuId{4}, 4}}));
}

TEST_F(JobStarterTest, takes_back_what_a_refused_start_had_taken) {
  stage.submit({.id = {0}, .gpus = 8});
  Decision decision;
  const View view = stage.view();
  starter.update(view);
  EXPECT_TRUE(starter.start(stage.job(0), view, decision, ""));  // and nobody carries it out
  EXPECT_EQ(free_for(0), 0u);
  stage.happen(Refused{decision.actions.front()});
  EXPECT_EQ(free_for(0), 8u);
}

TEST_F(JobStarterTest, keeps_what_jobs_hold_if_something_else_is_refused) {
  stage.submit({.id = {0}, .gpus = 3});
  EXPECT_TRUE(start(0));
  stage.happen(Refused{Sleep{NodeId{1}}});
  EXPECT_EQ(free_for(0), 5u);
}

TEST_F(JobStarterTest, offers_a_failed_node_to_nobody_until_it_is_repaired) {
  stage.submit({.id = {0}, .gpus = 2});
  EXPECT_EQ(start(0), gpus(0, 2));
  stage.happen(JobInterrupted{{0}, {}});
  stage.happen(NodeFailed{NodeId{0}});
  EXPECT_EQ(free_for(0), 4u);
  EXPECT_EQ(start(0), gpus(4, 2));
  stage.happen(NodeRepaired{NodeId{0}});
  EXPECT_EQ(free_for(0), 6u);
}

TEST_F(JobStarterTest, knows_of_a_job_that_somebody_else_has_started) {
  stage.submit({.id = {0}, .gpus = 3});
  stage.submit({.id = {1}, .gpus = 3});
  stage.happen(JobStarted{.job = {0}, .where = gpus(0, 3), .since = stage.start()});
  EXPECT_EQ(start(1), (Placement{{GpuId{3}, 1}, {GpuId{4}, 2}}));
  stage.happen(JobFinished{{0}});
  EXPECT_EQ(free_for(1), 5u);
}

TEST_F(JobStarterTest, stops_if_a_job_ends_that_it_never_started) {
  stage.submit({.id = {0}});
  const std::vector<Event> ended{JobFinished{{0}}};
  View view = stage.view();
  view.happened = ended;
  EXPECT_DEATH(starter.update(view), "check failed");
}

/// Two sites with GPUs of two types each: 2 of type 0 and 3 of type 1, then 4 and 5.
PolicyStage four_pools() {
  Cluster cluster;
  cluster.types.resize(2);
  add_site(cluster, "east", {{.count = 1, .gpus = 2}, {.count = 1, .gpus = 3, .type = {1}}});
  add_site(cluster, "west", {{.count = 1, .gpus = 4}, {.count = 1, .gpus = 5, .type = {1}}});
  return PolicyStage(std::move(cluster));
}

TEST(JobStarterPools, are_never_mixed) {
  PolicyStage stage = four_pools();
  JobStarter starter(stage.cluster());
  stage.submit({.id = {0}, .gpus = 5});
  stage.submit({.id = {1}, .gpus = 6});
  const View view = stage.view();
  Decision decision;
  EXPECT_FALSE(starter.start(stage.job(1), view, decision, "")) << "no pool has six";
  EXPECT_TRUE(starter.start(stage.job(0), view, decision, ""));
  EXPECT_EQ(std::get<Start>(decision.actions.front()).where, gpus(9, 5));
}

TEST(JobStarterPools, must_have_a_type_that_the_job_may_run_on) {
  PolicyStage stage = four_pools();
  const JobStarter starter(stage.cluster());
  stage.submit({.id = {0}, .gpu_types = 1});
  stage.submit({.id = {1}, .gpu_types = 2});
  stage.submit({.id = {2}, .gpu_types = 0});
  const View view = stage.view();
  EXPECT_EQ(most_for(starter, stage.job(0), view), 4u);
  EXPECT_EQ(most_for(starter, stage.job(1), view), 5u);
  EXPECT_EQ(most_for(starter, stage.job(2), view), 0u);
}

TEST(JobStarterPools, must_be_where_the_files_of_the_job_are) {
  PolicyStage stage = four_pools();
  JobStarter starter(stage.cluster());
  stage.submit({.id = {0}, .gpus = 4, .home = SiteId{0}});
  stage.submit({.id = {1}, .gpus = 3, .home = SiteId{0}});
  Decision decision;
  const View view = stage.view();
  EXPECT_FALSE(starter.start(stage.job(0), view, decision, ""));
  EXPECT_TRUE(starter.start(stage.job(1), view, decision, ""));
  EXPECT_EQ(std::get<Start>(decision.actions.front()).where, gpus(2, 3));
}

}  // namespace
}  // namespace penstock
