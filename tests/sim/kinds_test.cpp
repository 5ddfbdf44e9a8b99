#include "sim/kinds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Nodes of four GPUs; `fast` takes 1 s for an iteration, `slow` 2 s, whatever the GPUs.
class KindsTest : public testing::Test {
 protected:
  KindsTest() {
    cluster.types = {{.name = "a100"}};
    add_site(cluster, "here", {{.count = 2, .gpus = 4, .type = {}}});
  }
  static Profile profile(const char* name, double iteration) {
    return {.name = name,
            .aliases = {std::string(name) + "-too"},
            .gpu = "a100",
            .speed = {.alpha_c = iteration},
            .batch = {.least = 8, .most = 64, .local_most = 32},
            .batch_usual = 16,
            .gpus_most = 8};
  }
  static TracedJob job(std::uint32_t id, const char* kind, double batch) {
    return {.job = {.id = JobId{id}, .gpus = 2, .requested = 200s, .kind = kind, .batch = batch},
            .actual = 100s};
  }
  Kinds kinds(const TruthSpec& truth = {}) const {
    return {{profile("fast", 1), profile("slow", 2)}, cluster, truth, 7};
  }
  Cluster cluster;
};

TEST_F(KindsTest, a_job_gets_the_model_of_its_name_or_alias_in_any_case) {
  const Kinds all = kinds();
  for (const char* name : {"slow", "Slow", "SLOW-too"}) {
    TracedJob traced = job(0, name, 16);
    all.give(traced);
    EXPECT_EQ(all.believed().find(traced.job, {})->name, "slow") << name;
  }
}

TEST_F(KindsTest, work_is_what_takes_the_time_of_the_trace_as_asked) {
  TracedJob traced = job(0, "slow", 16);
  kinds().give(traced);
  EXPECT_DOUBLE_EQ(traced.work.value(), 100 * 16 / 2.0);
  EXPECT_DOUBLE_EQ(traced.job.work.value(), 200 * 16 / 2.0);
}

TEST_F(KindsTest, a_job_keeps_the_batch_of_its_trace_or_has_the_usual_one_on_each_gpu) {
  for (const auto& [asked, given] : {std::pair(4.0, 4.0), {0.0, 32.0}, {1000.0, 1000.0}}) {
    TracedJob traced = job(0, "fast", asked);
    kinds().give(traced);
    EXPECT_EQ(traced.job.batch, given);
  }
}

TEST_F(KindsTest, a_drawn_kind_has_its_usual_batch_whatever_the_trace_named_for_another) {
  for (const char* name : {"?", ""}) {
    TracedJob traced = job(0, name, 1000);
    kinds().give(traced);
    EXPECT_EQ(traced.job.batch, 32) << name;
  }
}

TEST_F(KindsTest, where_a_batch_may_be_chosen_a_job_asks_for_the_nearest_in_range) {
  Profile free = profile("fast", 1);
  free.noise = {.base = 8, .scale = 100};
  const Kinds all({free}, cluster, {}, 7);
  for (const auto& [asked, given] : {std::pair(4.0, 8.0), {0.0, 32.0}, {1000.0, 64.0}}) {
    TracedJob traced = job(0, "fast", asked);
    all.give(traced);
    EXPECT_EQ(traced.job.batch, given);
  }
}

TEST_F(KindsTest, a_batch_that_does_not_fit_takes_the_time_of_the_trace_in_parts) {
  TracedJob traced = job(0, "fast", 128);  // 64 on each of two GPUs, which hold 32: 2 s
  kinds().give(traced);
  EXPECT_DOUBLE_EQ(traced.work.value(), 100 * 128 / 2.0);
}

TEST_F(KindsTest, a_drawn_kind_was_measured_on_as_many_gpus_as_the_job_asks_for) {
  Profile small = profile("small", 1);
  small.gpus_most = 2;
  const Kinds all({small, profile("large", 1)}, cluster, {}, 7);
  std::size_t smalls = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    TracedJob two = job(i, "?", 0);
    TracedJob eight = job(i, "?", 0);
    TracedJob sixteen = job(i, "?", 0);
    eight.job.gpus = 8;
    sixteen.job.gpus = 16;  // more than any was measured on: one of those on most
    for (TracedJob* traced : {&two, &eight, &sixteen}) all.give(*traced);
    smalls += all.believed().find(two.job, {})->name == "small";
    EXPECT_EQ(all.believed().find(eight.job, {})->name, "large");
    EXPECT_EQ(all.believed().find(sixteen.job, {})->name, "large");
  }
  EXPECT_GT(smalls, 0u);
}

TEST_F(KindsTest, a_pipeline_is_drawn_only_for_jobs_that_have_its_gpus) {
  Profile pipeline{.name = "pipeline", .gpu = "a100", .front = {{10, 5000}}};
  pipeline.gpus_least = pipeline.gpus_most = 4;
  const Kinds all({profile("fast", 1), pipeline}, cluster, {}, 7);
  std::size_t pipelines = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    TracedJob two = job(i, "?", 0);
    TracedJob four = job(i, "?", 0);
    four.job.gpus = 4;
    for (TracedJob* traced : {&two, &four}) all.give(*traced);
    EXPECT_EQ(all.believed().find(two.job, {})->name, "fast");
    pipelines += all.believed().find(four.job, {})->is_front();
  }
  EXPECT_GT(pipelines, 10u);
  TracedJob alone = job(0, "?", 0);  // on half of its GPUs it takes 20 s for an iteration
  Kinds({pipeline}, cluster, {}, 7).give(alone);
  EXPECT_DOUBLE_EQ(alone.work.value(), 100 / 20.0);
}

TEST_F(KindsTest, a_job_that_names_its_kind_keeps_it_however_large_it_is) {
  TracedJob traced = job(0, "slow", 0);
  traced.job.gpus = 16;
  kinds().give(traced);
  EXPECT_EQ(kinds().believed().find(traced.job, {})->name, "slow");
}

TEST_F(KindsTest, unknown_kinds_are_drawn_by_seed_and_job_alone) {
  const Kinds all = kinds();
  std::size_t slow = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    TracedJob once = job(i, "?", 16);
    TracedJob again = job(i, "", 32);
    all.give(once);
    all.give(again);
    EXPECT_EQ(once.job.kind_id, again.job.kind_id);
    if (all.believed().find(once.job, {})->name == "slow") ++slow;
  }
  EXPECT_GT(slow, 60u);
  EXPECT_LT(slow, 140u);
}

TEST_F(KindsTest, a_noisy_truth_differs_and_the_belief_does_not) {
  const Kinds all = kinds({.spread = 0.3});
  EXPECT_EQ(all.believed().find(KindId{0}, {})->speed.alpha_c, 1);
  EXPECT_NE(all.truth().find(KindId{0}, {})->speed.alpha_c, 1);
  EXPECT_EQ(all.truth().find(KindId{0}, {})->speed,
            kinds({.spread = 0.3}).truth().find(KindId{0}, {})->speed);
}

/// 50 s for an epoch on one GPU, 25 s on two.
Profile table() {
  return table_profile("lstm", "a100", {{1, 50.0}, {2, 25.0}});
}

TEST_F(KindsTest, a_job_of_a_table_has_the_epochs_that_its_time_holds_by_the_table) {
  for (const double spread : {0.0, 0.3}) {
    TracedJob traced = job(0, "lstm", 0);
    Kinds({table()}, cluster, {.spread = spread}, 7).give(traced);
    EXPECT_DOUBLE_EQ(traced.work.value(), 4);
    EXPECT_DOUBLE_EQ(traced.job.work.value(), 8);
  }
}

TEST_F(KindsTest, a_noisy_truth_disturbs_each_entry_of_a_table_by_its_own_factor) {
  const Kinds all({table()}, cluster, {.spread = 0.3}, 7);
  const auto& truth = all.truth().find(KindId{0}, {})->epoch_seconds;
  EXPECT_EQ(all.believed().find(KindId{0}, {})->epoch_seconds, table().epoch_seconds);
  EXPECT_NE(truth[0], 50);
  EXPECT_NE(truth[0] / 50, truth[1] / 25);
}

TEST_F(KindsTest, the_work_of_jobs_varies_around_what_their_users_say) {
  const Kinds exact({table()}, cluster, {}, 7);
  const Kinds vary({table()}, cluster, {.jobs = 0.5}, 7);
  double sum = 0;
  double logs = 0;
  constexpr std::uint32_t kJobs = 20000;
  for (std::uint32_t i = 0; i < kJobs; ++i) {
    TracedJob said = job(i, "lstm", 0);
    TracedJob true_one = said;
    exact.give(said);
    vary.give(true_one);
    EXPECT_EQ(true_one.job.work, said.job.work);
    sum += true_one.work / said.work;
    logs += std::pow(std::log(true_one.work / said.work) + 0.125, 2);
  }
  EXPECT_NEAR(sum / kJobs, 1, 0.02);
  EXPECT_NEAR(std::sqrt(logs / kJobs), 0.5, 0.02);
}

/// As traces that know how a job ran hold it.
RealRun run(Duration worked, std::uint32_t gpus) {
  return {.worked = worked, .gpus = gpus, .type = "A100"};
}

TEST_F(KindsTest, a_job_that_ran_in_several_ways_has_the_work_that_it_did) {
  TracedJob traced = job(0, "lstm", 0);
  traced.runs = {run(100s, 1), run(100s, 2)};
  Kinds({table()}, cluster, {}, 7).give_as_it_ran(traced);
  EXPECT_DOUBLE_EQ(traced.work.value(), 2 + 4);
  EXPECT_DOUBLE_EQ(traced.job.work.value(), 8);  // as asked: two GPUs for 200 s
}

TEST_F(KindsTest, a_job_that_ran_at_a_lower_clock_did_less) {
  cluster.types[0].max_clock_mhz = 1000;
  TracedJob traced = job(0, "slow", 16);
  traced.runs = {run(100s, 2), run(100s, 2)};
  traced.runs[1].clock_mhz = 500;  // and all of its computing follows the clock
  kinds().give_as_it_ran(traced);
  EXPECT_DOUBLE_EQ(traced.work.value(), 100 * 16 / 2.0 + 100 * 16 / 4.0);
}

TEST_F(KindsTest, a_job_whose_user_said_how_much_it_does_is_believed) {
  TracedJob traced = job(0, "lstm", 0);
  traced.job.work = Work(5);
  traced.runs = {run(100s, 1)};
  Kinds({table()}, cluster, {}, 7).give_as_it_ran(traced);
  EXPECT_DOUBLE_EQ(traced.job.work.value(), 5);
  EXPECT_DOUBLE_EQ(traced.work.value(), 2);
  EXPECT_EQ(traced.job.requested, 125s);  // on the two GPUs that it asked for
}

TEST_F(KindsTest, a_job_that_ran_scales_between_its_bounds_only) {
  Kinds all = kinds();
  TracedJob elastic = job(0, "slow", 16);
  elastic.runs = {run(100s, 2)};
  TracedJob fixed = elastic;
  elastic.gpus_least = 1;
  elastic.gpus_most = 4;
  all.give_as_it_ran(elastic);
  all.give_as_it_ran(fixed);
  EXPECT_EQ(all.believed().find(elastic.job, {})->gpus_least, 1u);
  EXPECT_EQ(all.believed().find(elastic.job, {})->gpus_most, 4u);
  EXPECT_EQ(all.truth().find(elastic.job, {})->batch.most, 16);
  EXPECT_EQ(all.believed().find(fixed.job, {})->gpus_least, 2u);
  EXPECT_EQ(all.believed().find(fixed.job, {})->gpus_most, 2u);
}

TEST_F(KindsTest, a_job_that_ran_keeps_its_batch_and_is_not_taken_to_accumulate) {
  Kinds all = kinds();
  for (const auto& [asked, given] : {std::pair(1000.0, 1000.0), {0.0, 32.0}}) {
    TracedJob traced = job(0, "slow", asked);
    traced.runs = {run(100s, 2)};
    traced.gpus_least = 1;
    all.give_as_it_ran(traced);
    EXPECT_EQ(traced.job.batch, given);
    const Profile& believed = *all.believed().find(traced.job, {});
    EXPECT_FALSE(believed.batch.accumulates);
    EXPECT_TRUE(may_have_batch(believed, given, given));
  }
}

TEST_F(KindsTest, a_job_of_a_table_keeps_to_its_bounds_too) {
  Kinds all({table()}, cluster, {}, 7);
  TracedJob traced = job(0, "lstm", 0);
  traced.runs = {run(100s, 1)};
  traced.gpus_least = traced.gpus_most = 1;
  all.give_as_it_ran(traced);
  EXPECT_TRUE(runs(*all.believed().find(traced.job, {}), {.gpus = 1}));
  EXPECT_FALSE(runs(*all.believed().find(traced.job, {}), {.gpus = 2}));
}

TEST_F(KindsTest, a_job_that_ran_and_is_of_no_known_kind_stays_rigid) {
  TracedJob traced = job(0, "mystery", 0);
  traced.runs = {run(100s, 2)};
  kinds().give_as_it_ran(traced);
  EXPECT_FALSE(traced.job.kind_id);
  EXPECT_EQ(traced.actual, 100s);
}

}  // namespace
}  // namespace penstock
