#include "engine/legal.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Two nodes of two old GPUs, one of two new ones, one of two old ones elsewhere.
/// Job 0 runs on GPU 0; jobs 1 (two GPUs, old ones only) and 2 (one GPU) wait.
class LegalTest : public testing::Test {
 protected:
  LegalTest() {
    cluster.types = {{.name = "old"}, {.name = "new"}};
    add_site(cluster, "here", {{.count = 2, .gpus = 2}, {.count = 1, .gpus = 2, .type = {1}}});
    add_site(cluster, "there", {{.count = 1, .gpus = 2}});
    state.emplace(cluster, Costs{}, t0);
    submit({.id = JobId{0}});
    submit({.id = JobId{1}, .gpus = 2, .gpu_types = 1});
    submit({.id = JobId{2}, .parents = {JobId{0}}});
    state->apply(Start{JobId{0}, {{GpuId{0}, 1}}}, t0);
  }
  void submit(Job job) {
    const JobId id = job.id;
    state->admit(std::move(job));
    state->apply(JobSubmitted{id}, t0);
  }
  std::string why(const Action& action) const {
    return illegal(action, *state, models).value_or("legal");
  }
  std::string why_start(const Placement& where) const { return why(Start{JobId{1}, where}); }

  Time t0{1h};
  Cluster cluster;
  Models models;
  std::optional<State> state;
};

TEST_F(LegalTest, a_waiting_job_may_start_on_free_gpus) {
  EXPECT_EQ(why_start({{GpuId{2}, 2}}), "legal");
  EXPECT_EQ(why_start({{GpuId{1}, 1}, {GpuId{2}, 1}}), "legal");
}

TEST_F(LegalTest, a_job_gets_free_gpus_that_exist_in_order_and_as_many_as_it_asked_for) {
  EXPECT_EQ(why_start({}), "job 1 gets no GPUs");
  EXPECT_EQ(why_start({{GpuId{2}, 1}}), "job 1 asked for 2 GPUs, not 1");
  EXPECT_EQ(why_start({{GpuId{0}, 2}}), "GPUs 0+2 are not all free");
  EXPECT_EQ(why_start({{GpuId{1}, 2}}), "GPUs 1+2 cross a node");
  EXPECT_EQ(why_start({{GpuId{7}, 2}}), "GPUs 7+2 do not exist");
  EXPECT_EQ(why_start({{GpuId{3}, 1}, {GpuId{3}, 1}}), "GPU ranges overlap or are out of order");
}

TEST_F(LegalTest, a_job_stays_within_one_site_and_its_types) {
  EXPECT_EQ(why_start({{GpuId{4}, 2}}), "job 1 may not run on new");
  EXPECT_EQ(why_start({{GpuId{3}, 1}, {GpuId{4}, 1}}), "job 1 would span sites or GPU types");
  EXPECT_EQ(why_start({{GpuId{3}, 1}, {GpuId{6}, 1}}), "job 1 would span sites or GPU types");
}

TEST_F(LegalTest, only_a_job_in_the_queue_may_start_and_only_a_running_one_stop) {
  EXPECT_EQ(why(Start{JobId{0}, {{GpuId{1}, 1}}}), "job 0 is not in the queue");
  EXPECT_EQ(why(Start{JobId{2}, {{GpuId{1}, 1}}}), "job 2 is not in the queue");
  EXPECT_EQ(why(Start{JobId{9}, {{GpuId{1}, 1}}}), "job 9 is not in the queue");
  EXPECT_EQ(why(Preempt{JobId{0}}), "legal");
  EXPECT_EQ(why(Preempt{JobId{1}}), "job 1 is not running");
}

TEST_F(LegalTest, only_an_idle_node_may_sleep_and_only_a_sleeping_one_wake) {
  EXPECT_EQ(why(Sleep{NodeId{0}}), "node 0 is not idle");
  EXPECT_EQ(why(Sleep{NodeId{1}}), "legal");
  EXPECT_EQ(why(Wake{NodeId{1}}), "node 1 is not asleep");
  state->apply(Sleep{NodeId{1}}, t0);
  EXPECT_EQ(why(Sleep{NodeId{1}}), "node 1 is not awake");
  EXPECT_EQ(why(Wake{NodeId{1}}), "legal");
  EXPECT_EQ(why(Sleep{NodeId{99}}), "node 99 does not exist");
}

TEST_F(LegalTest, nothing_starts_on_a_node_that_is_down) {
  state->apply(NodeFailed{NodeId{1}}, t0);
  EXPECT_EQ(why_start({{GpuId{2}, 2}}), "node 1 is down");
}

TEST_F(LegalTest, gpus_beyond_the_last_do_not_exist) {
  EXPECT_EQ(why_start({{GpuId{~0u}, 2}}), "GPUs 4294967295+2 do not exist");
  EXPECT_EQ(why_start({{GpuId{1}, ~0u}}), "GPUs 1+4294967295 do not exist");
}

TEST_F(LegalTest, a_rigid_job_may_move_but_not_change) {
  EXPECT_EQ(why(Migrate{JobId{0}, {{GpuId{3}, 1}}}), "legal");
  EXPECT_EQ(why(Resize{JobId{0}, {{GpuId{0}, 2}}}), "job 0 is rigid");
  EXPECT_EQ(why(SetClock{JobId{0}, 500}), "job 0 is rigid");
  EXPECT_EQ(why(SetBatch{JobId{0}, 2}), "job 0 is rigid");
  EXPECT_EQ(why(Start{JobId{1}, {{GpuId{2}, 2}}, {.clock_mhz = 500}}),
            "job 1 is rigid and runs at the highest clock");
}

TEST(Legal, a_part_of_a_shared_gpu_lies_aligned_within_it_and_more_are_whole_gpus) {
  Cluster cluster;
  cluster.types = {{.name = "m60"}};
  cluster.share = 4;
  add_site(cluster, "here", {{.count = 2, .gpus = 8}});  // two GPUs each
  State state(cluster, Costs{}, Time(1h));
  Models models(1);
  models.set(models.add_kind(), {},
             table_profile("lstm", "m60", {{1, 8.0}, {2, 7.0}, {3, 6.0}, {4, 5.0}, {8, 3.0}}));
  state.admit({.id = JobId{0}, .gpus = 4, .kind_id = KindId{0}, .work = Work(1)});
  state.apply(JobSubmitted{JobId{0}}, Time(1h));
  const auto why = [&](const Placement& where) {
    return illegal(Start{JobId{0}, where}, state, models).value_or("legal");
  };
  for (const Placement& where : {Placement{{GpuId{3}, 1}}, {{GpuId{6}, 2}}, {{GpuId{4}, 4}}})
    EXPECT_EQ(why(where), "legal");
  EXPECT_EQ(why({{GpuId{8}, 8}}), "legal");
  EXPECT_EQ(why({{GpuId{1}, 2}}),
            "job 0 gets 2 slices that are neither whole GPUs of 4 nor an aligned part of one");
  for (const Placement& where : {Placement{{GpuId{0}, 3}},
                                 {{GpuId{2}, 4}},
                                 {{GpuId{0}, 1}, {GpuId{4}, 1}},
                                 {{GpuId{0}, 2}, {GpuId{4}, 2}}})
    EXPECT_NE(why(where), "legal");
}

/// The same machines with clocks of 500, 750 and 1000 MHz; job 3 scales to four GPUs and
/// runs on the second node as it asked.
class ElasticLegalTest : public LegalTest {
 protected:
  ElasticLegalTest() {
    for (GpuType& type : cluster.types) {
      type.min_clock_mhz = 500;
      type.max_clock_mhz = 1000;
      type.clock_step_mhz = 250;
    }
    models = Models(2);
    models.set(models.add_kind(), {},
               {.noise = {.scale = 100},
                .batch = {.least = 4, .most = 17, .local_most = 8, .accumulates = false},
                .gpus_most = 4});
    submit({.id = job, .gpus = 2, .kind_id = KindId{0}, .work = Work(100), .batch = 8});
    state->apply(Start{job, {{GpuId{2}, 2}}}, t0);
  }
  std::string why_resize(const Placement& where, const Knobs& knobs = {}) const {
    return why(Resize{job, where, knobs});
  }

  JobId job{3};
};

TEST_F(ElasticLegalTest, a_job_may_grow_into_free_gpus_and_share_its_own) {
  EXPECT_EQ(why_resize({{GpuId{1}, 1}, {GpuId{2}, 2}}), "legal");
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}), "legal");
  EXPECT_EQ(why_resize({{GpuId{0}, 2}, {GpuId{2}, 2}}), "GPUs 0+2 are not all free");
  EXPECT_EQ(why_resize({{GpuId{6}, 2}}), "job 3 would leave its site");
  EXPECT_EQ(why_resize({}), "job 3 gets no GPUs");
  EXPECT_EQ(why(Resize{JobId{1}, {{GpuId{1}, 1}}}), "job 1 is not running");
}

TEST_F(ElasticLegalTest, a_job_stays_within_what_its_profile_allows) {
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}, {.batch = 9}),
            "job 3 does not run on 1 GPUs with a batch of 9");
  EXPECT_EQ(why(SetBatch{job, 16}), "legal");
  EXPECT_EQ(why(SetBatch{job, 17}), "job 3 does not run on 2 GPUs with a batch of 17");
  EXPECT_EQ(why(SetBatch{job, 18}), "job 3 asked for a batch of 8 and cannot have one of 18");
  EXPECT_EQ(why(SetBatch{job, 3}), "job 3 asked for a batch of 8 and cannot have one of 3");
}

TEST_F(ElasticLegalTest, a_job_that_accumulates_shrinks_with_more_than_fits_into_memory) {
  models.set(KindId{0}, {}, {.batch = {.local_most = 4}, .gpus_most = 4});
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}), "legal");
}

TEST_F(ElasticLegalTest, where_no_noise_was_measured_a_job_keeps_its_batch) {
  models.set(KindId{0}, {}, {.batch = {.least = 4, .most = 16, .local_most = 8}, .gpus_most = 4});
  EXPECT_EQ(why(SetBatch{job, 8}), "legal");
  EXPECT_EQ(why(SetBatch{job, 16}), "job 3 asked for a batch of 8 and cannot have one of 16");
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}, {.batch = 4}),
            "job 3 asked for a batch of 8 and cannot have one of 4");
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}, {.batch = 8}), "legal");
}

TEST_F(ElasticLegalTest, a_clock_must_be_one_that_the_gpu_has) {
  EXPECT_EQ(why(SetClock{job, 750}), "legal");
  EXPECT_EQ(why(SetClock{job, 700}), "old has no clock of 700 MHz");
  EXPECT_EQ(why(SetClock{job, 250}), "old has no clock of 250 MHz");
  EXPECT_EQ(why(SetClock{job, 1250}), "old has no clock of 1250 MHz");
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}, {.clock_mhz = 0}), "old has no clock of 0 MHz");
}

TEST_F(ElasticLegalTest, a_migration_keeps_the_number_of_gpus) {
  EXPECT_EQ(why(Migrate{job, {{GpuId{1}, 1}, {GpuId{2}, 1}}}), "legal");
  EXPECT_EQ(why(Migrate{job, {{GpuId{1}, 1}}}), "job 3 would migrate to another number of GPUs");
  EXPECT_EQ(why(Migrate{JobId{1}, {{GpuId{2}, 2}}}), "job 1 is not running");
}

TEST_F(ElasticLegalTest, where_a_kind_is_not_known_a_job_runs_only_as_it_asked) {
  EXPECT_EQ(why(Migrate{job, {{GpuId{4}, 2}}}), "legal");
  EXPECT_EQ(why_resize({{GpuId{4}, 1}}), "job 3 asked for 2 GPUs, not 1");
}

TEST_F(ElasticLegalTest, a_job_of_a_table_stays_on_one_node) {
  models.set(KindId{0}, {}, table_profile("lstm", "old", {{1, 40.0}, {2, 20.0}, {3, 10.0}}));
  EXPECT_EQ(why_resize({{GpuId{2}, 1}}), "legal");
  EXPECT_EQ(why_resize({{GpuId{1}, 1}, {GpuId{2}, 2}}).substr(0, 28),
            "job 3 does not run on 3 GPUs");
}

}  // namespace
}  // namespace penstock
