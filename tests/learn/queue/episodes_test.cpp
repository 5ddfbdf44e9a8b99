#include "learn/queue/episodes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "learn/mars/small_data.h"

namespace penstock {
namespace {

TEST(Machine, is_the_largest_pool_of_one_type_at_one_site) {
  Cluster cluster{.types = {{.name = "a"}, {.name = "b"}}};
  add_site(cluster, "north", {{.count = 3, .gpus = 4, .type = {0}}});
  add_site(cluster, "south",
           {{.count = 2, .gpus = 4, .type = {0}}, {.count = 2, .gpus = 8, .type = {1}}});
  const Machine machine = largest_pool(cluster);
  EXPECT_EQ(machine.site, SiteId{1});
  EXPECT_EQ(machine.type.name, "b");
  EXPECT_EQ(machine.gpus, 16u);
}

TEST(Machine, pays_for_cooling_too) {
  const SiteSignals signals{.price = Signal<Price>::constant(Price(0.1)),
                            .pue = Signal<Ratio>::constant(Ratio(1.5))};
  EXPECT_DOUBLE_EQ(mean_price_per_kwh(signals, Time{}, Time(std::chrono::hours(1))), 0.1 * 1.5);
}

TracedJob job(std::uint32_t id, std::uint32_t gpus, std::vector<JobId> parents = {}) {
  return {.job = {.id = {id},
                  .submitted = Time(std::chrono::seconds(id)),
                  .gpus = gpus,
                  .requested = std::chrono::hours(2),
                  .parents = std::move(parents)},
          .actual = std::chrono::hours(1)};
}

TEST(Episodes, leave_out_jobs_that_the_machine_cannot_run) {
  std::vector<TracedJob> jobs{job(0, 1), job(1, 64), job(2, 2, {{0}, {1}}), job(3, 4, {{2}})};
  jobs.push_back(job(4, 1));
  jobs.back().job.gpu_types = 2;  // only the cluster's second type
  const std::vector<Task> tasks = tasks_on(small_machine(), jobs);
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[1].id, JobId{2});
  EXPECT_EQ(tasks[1].parents, std::vector<std::uint32_t>{0});
  EXPECT_EQ(tasks[2].parents, std::vector<std::uint32_t>{1});
  EXPECT_EQ(tasks[1].requested, std::chrono::hours(2));
  EXPECT_EQ(tasks[1].actual, std::chrono::hours(1));
  // 2 GPUs for 2 h at 300 W and 0.2 a kWh.
  EXPECT_DOUBLE_EQ(tasks[1].cost, 2 * 2 * 0.3 * 0.2);
}

TEST(Episodes, nobody_waits_for_parents_outside) {
  const std::vector<TracedJob> jobs{job(0, 1), job(1, 1, {{0}}), job(2, 2, {{0}, {1}})};
  const auto episode = cut_sequence(tasks_on(small_machine(), jobs), 1, 2, 32);
  ASSERT_TRUE(episode) << episode.error().message;
  EXPECT_EQ(episode->size(), 2u);
  EXPECT_TRUE((*episode)[0].parents.empty());
  EXPECT_EQ((*episode)[1].parents, std::vector<std::uint32_t>{0});
}

TEST(Episodes, are_consecutive_tasks_and_the_same_for_the_same_seed) {
  const std::vector<Task> tasks = busy_tasks(300);
  const auto once = draw_sequences(tasks, {.tasks = 20, .count = 5}, 32, Rng(3));
  const auto again = draw_sequences(tasks, {.tasks = 20, .count = 5}, 32, Rng(3));
  ASSERT_TRUE(once);
  ASSERT_EQ(once->size(), 5u);
  for (std::size_t e = 0; e < 5; ++e) {
    ASSERT_EQ((*once)[e].size(), 20u);
    for (std::uint32_t i = 0; i < 20; ++i) {
      EXPECT_EQ((*once)[e][i].id, (*again)[e][i].id);
      EXPECT_EQ((*once)[e][i].id.index, (*once)[e][0].id.index + i);
    }
  }
}

TEST(Episodes, longer_than_the_trace_are_refused_with_both_numbers) {
  const auto episodes = draw_sequences(busy_tasks(100), {.tasks = 256}, 32, Rng(3));
  ASSERT_FALSE(episodes);
  EXPECT_EQ(episodes.error().message,
            "an episode has 256 tasks, but there are only 100 to draw it from; possible: a "
            "shorter episode or a longer trace");
}

TEST(Episode, knows_the_best_strategy_in_hindsight) {
  const QueueTrainingData data = small_data();
  for (const Episode& contest : data.validation) {
    EXPECT_TRUE(contest.best.ends_with("+easy"));
    EXPECT_NEAR(std::accumulate(contest.shares.begin(), contest.shares.end(), 0.0), 1, 1e-12);
    for (const Strategy& strategy : baselines(data.rules)) {
      const double reached = mean_return(strategy, {&contest, 1}, data.rules);
      EXPECT_LE(reached, -1 + 1e-12) << strategy.name;
      if (strategy.name == contest.best) {
        EXPECT_DOUBLE_EQ(reached, -1);
      }
    }
  }
}

TEST(Episode, is_the_same_on_any_number_of_threads) {
  const auto draw = [] {
    return *draw_sequences(busy_tasks(500), {.tasks = 30, .count = 7}, 32, Rng(1));
  };
  const PlayRules rules{.gpus = 32};
  const auto one = make_episodes(draw(), rules, 1);
  const auto three = make_episodes(draw(), rules, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].best, three[i].best);
    EXPECT_EQ(one[i].reference, three[i].reference);
    EXPECT_EQ(one[i].shares, three[i].shares);
  }
}

}  // namespace

}  // namespace penstock
