#pragma once

#include <span>
#include <vector>

#include "learn/queue/strategy.h"

namespace penstock {

/// What a candidate's predicted future is judged by; less is better.
enum class Reward : std::uint8_t {
  cost,      ///< sum of cost x bounded slowdown
  slowdown,  ///< sum of bounded slowdowns
  wait,      ///< sum of waits
};

/// The sum of those measures that the reward is about.
double judged(const Measures& measures, Reward reward);

/// What a task adds to that sum when it starts at an instant and runs for so long.
double judged(const Task& task, Duration wait, Duration run, Reward reward);

/// What a strategy came to in a race.
struct Score {
  double cost = 0;       ///< summed over all worlds, or when it dropped out: of those it ran in
  bool finished = true;  ///< false: it dropped out
};

/// Plays worlds, of which each may come true, under strategies. Strategies that are clearly behind
/// drop out: within a world one that is sure to come to far more than the best there, and after
/// each world the worse half. One strategy, the incumbent, always finishes.
class Race {
 public:
  explicit Race(Reward reward) : reward_(reward), scratch_(0, {}) {}
  /// Valid until the next race. There must be a world and a strategy.
  std::span<const Score> run(std::span<const QueueWorld> worlds,
                             std::span<const Strategy* const> strategies, std::size_t incumbent);
  Reward reward() const { return reward_; }

 private:
  double play(const QueueWorld& world, const Strategy& strategy, double most);
  double still_waiting() const;
  void run_one(const QueueWorld& world, std::span<const Strategy* const> strategies);
  void drop_worse_half();

  Reward reward_;
  QueueWorld scratch_;
  std::vector<Score> scores_;
  std::vector<std::size_t> running_;  ///< who has not dropped out, the incumbent first
};

}  // namespace penstock
