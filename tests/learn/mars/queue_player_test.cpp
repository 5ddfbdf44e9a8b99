#include "learn/mars/queue_player.h"

#include <gtest/gtest.h>

#include "learn/mars/selector.h"

namespace penstock {
namespace {

/// One GPU and three tasks that wait for it: of 300, 100 and 200 seconds.
class ThreeWaiting : public testing::Test {
 protected:
  ThreeWaiting() {
    std::vector<Task> all;
    for (const int length : {300, 100, 200})
      all.push_back({.id = JobId{static_cast<std::uint32_t>(all.size())},
                     .gpus = 1,
                     .requested = std::chrono::seconds(length),
                     .actual = std::chrono::seconds(length)});
    tasks_ = *TaskSequence::make(std::move(all), 1);
    world_.reset(tasks_);
  }

  TaskSequence tasks_;
  QueueWorld world_{1, {}};
  Futures present_only_ = [this] { return std::span<const QueueWorld>(&world_, 1); };
};

TEST_F(ThreeWaiting, a_selecting_player_starts_as_the_best_strategy_would) {
  const auto player = make_selecting_player({find_strategy("fifo"), find_strategy("sjf")}, {}, {});
  const PlayedBy played = player->play(world_, present_only_, 0);
  EXPECT_EQ(played.by, "sjf");
  EXPECT_FALSE(played.is_network);
  EXPECT_TRUE(played.reason.starts_with("sjf ")) << played.reason;
  EXPECT_TRUE(world_.has_started(1));
  EXPECT_EQ(world_.run_of(1).start, Time{});
}

TEST_F(ThreeWaiting, a_network_player_always_names_its_network) {
  const auto player = make_network_player(
      {NamedNetwork{"one", ActorCritic(observer_shape(ActorKind::kernel), Rng(1))}, {}, Rng(1)});
  const PlayedBy played = player->play(world_, present_only_, 0);
  EXPECT_EQ(played.by, "one");
  EXPECT_TRUE(played.is_network);
  std::uint32_t started = 0;
  for (std::uint32_t i = 0; i < tasks_.size(); ++i)
    started += world_.has_started(i) && world_.run_of(i).start == Time{} ? 1 : 0;
  EXPECT_EQ(started, 1u);
}

}  // namespace
}  // namespace penstock
