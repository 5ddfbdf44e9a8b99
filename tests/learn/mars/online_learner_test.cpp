#include "learn/mars/online_learner.h"

#include <gtest/gtest.h>

#include "learn/mars/selector.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

OnlineLearner untaught(const OnlineLearnerRules& rules = {}) {
  return {NamedNetwork{"one", ActorCritic(observer_shape(ActorKind::kernel), Rng(1))}, rules,
          Rng(1)};
}

TEST(OnlineLearner, sits_on_the_bench_until_it_has_won) {
  OnlineLearner learner = untaught({.trials = 3, .bench_pause = 2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(learner.is_benched());
    EXPECT_TRUE(learner.is_due());
    learner.compare(0.9, 1.0);
  }
  EXPECT_FALSE(learner.is_benched());
}

TEST(OnlineLearner, that_loses_is_benched_and_tried_now_and_then) {
  OnlineLearner learner = untaught({.tolerance = 0.02, .trials = 1, .bench_pause = 3});
  learner.compare(0.99, 1.0);
  EXPECT_FALSE(learner.is_benched());
  for (int i = 0; i < 5; ++i) learner.compare(2.0, 1.0);
  EXPECT_TRUE(learner.is_benched());
  EXPECT_FALSE(learner.is_due());
  EXPECT_FALSE(learner.is_due());
  EXPECT_TRUE(learner.is_due());
  for (int i = 0; i < 100; ++i) learner.compare(0.5, 1.0);
  EXPECT_FALSE(learner.is_benched());
}

/// Tasks of one GPU on one GPU, all there from the beginning; every choice starts one.
class OneByOne : public testing::Test {
 protected:
  OneByOne() {
    std::vector<Task> all;
    for (std::uint32_t i = 0; i < 12; ++i)
      all.push_back({.id = JobId{i},
                     .gpus = 1,
                     .requested = std::chrono::seconds(10 + 100 * (i % 4)),
                     .actual = std::chrono::seconds(10 + 100 * (i % 4))});
    tasks = *TaskSequence::make(std::move(all), 1);
    world.reset(tasks);
  }
  TaskSequence tasks;
  QueueWorld world{1, {}};
  Futures only_future = [this] { return std::span<const QueueWorld>(&world, 1); };
};

TEST_F(OneByOne, an_apprentice_learns_when_all_it_started_has_ended) {
  OnlineLearner learner = untaught({.batch = 4});
  learner.begin(world);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t task = learner.act(world);
    learner.on_started(JobId{task}, 1);
    world.choose(task);
    if (i < 3) learner.on_ended({.job = JobId{task}, .slowdown = 2});
  }
  EXPECT_EQ(learner.updates(), 0u);
  for (std::uint32_t i = 0; i < 12; ++i) learner.on_ended({.job = JobId{i}, .slowdown = 3});
  EXPECT_EQ(learner.updates(), 1u);
}

TEST_F(OneByOne, an_apprentice_that_may_not_learn_stays_as_it_is) {
  OnlineLearner learner = untaught({.learns = false, .batch = 1});
  learner.begin(world);
  learner.on_started(JobId{learner.act(world)}, 1);
  for (std::uint32_t i = 0; i < 12; ++i) learner.on_ended({.job = JobId{i}, .slowdown = 3});
  EXPECT_EQ(learner.updates(), 0u);
}

TEST_F(OneByOne, the_selector_takes_the_cheapest_and_says_what_all_would_cost) {
  std::vector<OnlineLearner> none;
  Selector selector({find_strategy("fifo"), find_strategy("sjf")}, none,
                    {.reward = Reward::slowdown});
  const Selector::Pick pick = selector.pick(world, only_future, 0);
  ASSERT_NE(pick.strategy, nullptr);
  EXPECT_EQ(pick.strategy->name, "sjf");
  EXPECT_TRUE(pick.reason.starts_with("sjf ")) << pick.reason;
  EXPECT_NE(pick.reason.find("| fifo "), std::string::npos) << pick.reason;
}

TEST_F(OneByOne, the_selector_stays_with_who_is_hardly_worse_and_within_an_epoch) {
  std::vector<OnlineLearner> none;
  Selector stubborn({find_strategy("fifo"), find_strategy("sjf")}, none,
                    {.reward = Reward::slowdown, .hysteresis = 0.99});
  EXPECT_EQ(stubborn.pick(world, only_future, 0).strategy->name, "fifo");
  Selector patient({find_strategy("fifo"), find_strategy("sjf")}, none,
                   {.reward = Reward::slowdown, .epoch = 1h});
  EXPECT_EQ(patient.pick(world, only_future, 0).reason.empty(), false);
  EXPECT_TRUE(patient.pick(world, only_future, 0).reason.empty());  // the hour is not over
}

TEST_F(OneByOne, the_selector_never_takes_a_benched_network) {
  std::vector<OnlineLearner> one;
  one.push_back(untaught());
  Selector selector({find_strategy("fifo")}, one, {.reward = Reward::slowdown, .confidence = 0});
  const Selector::Pick pick = selector.pick(world, only_future, 0);
  EXPECT_EQ(pick.learner, nullptr);
  EXPECT_NE(pick.reason.find("net:one benched"), std::string::npos) << pick.reason;
}

}  // namespace

}  // namespace penstock
