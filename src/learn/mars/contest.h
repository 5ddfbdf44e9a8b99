#pragma once

#include <vector>

#include "learn/queue/strategy.h"

namespace penstock {

/// The rules that worlds of a training have in common.
struct PlayRules {
  std::uint32_t gpus = 0;
  QueueOptions queue{};
  std::uint32_t window = 128;  ///< ready tasks that a network sees, at least 2
};

/// An episode, and what the best heuristic makes of it in hindsight.
struct Contest {
  TaskSequence tasks{};
  std::string_view best{};  ///< the strategy that did best
  double reference = 1;     ///< its sum of cost x bounded slowdown
  /// Its cost x bounded slowdown by task, over the reference: they add up to 1.
  std::vector<double> shares{};
};

/// The strategies that others are measured by: plain orders that backfill as the rules say.
std::vector<Strategy> rivals(const PlayRules& rules);

/// Compares all rivals. Order and bits do not depend on the
/// number of threads.
std::vector<Contest> make_contests(std::vector<TaskSequence> episodes, const PlayRules& rules,
                                   std::uint32_t threads);

/// The mean return of following one strategy: what each task costs, negative, over the reference;
/// -1 is as good as the best in hindsight.
double mean_return(const Strategy& strategy, std::span<const Contest> contests,
                   const PlayRules& rules);

/// When a sequence's run began.
Time origin_of(const TaskSequence& tasks);

}  // namespace penstock
