#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "learn/net/rollout.h"
#include "learn/queue/queue_world.h"

namespace penstock {

/// Rises whenever a feature is added, removed or changes its meaning: weights that were trained
/// on others are refused.
inline constexpr std::uint32_t kFeatureVersion = 1;

/// What a network sees of each ready task, and of the whole; all within about -1 and 2.
std::span<const std::string_view> item_features();
std::span<const std::string_view> global_features();

/// Turns a world that needs a choice into what a network sees. Keeps its memory.
class TaskObserver {
 public:
  /// At most so many ready tasks are seen, those that came first.
  explicit TaskObserver(std::uint32_t most) : most_(most) {}

  /// To be called before the first look() at a sequence, which must outlive the observations.
  /// `origin` is when the run began.
  void begin(const TaskSequence& tasks, Time origin);
  /// The world must be of the sequence, and ranked by nothing. Valid until the next look.
  Window look(const QueueWorld& world);
  /// The task of each item of the last look.
  std::span<const std::uint32_t> tasks() const { return seen_; }
  std::uint32_t most() const { return most_; }

 private:
  void see_task(const QueueWorld& world, std::uint32_t task);
  void see_whole(const QueueWorld& world);
  void spread_within_window();

  std::uint32_t most_;
  const TaskSequence* sequence_ = nullptr;
  std::vector<float> fixed_;  ///< by task: the features that never change
  std::vector<std::uint32_t> seen_;
  std::vector<float> items_;
  std::vector<float> globals_;
};

}  // namespace penstock
