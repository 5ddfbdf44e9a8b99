#pragma once

#include "learn/mars/observation.h"
#include "learn/net/actor_critic.h"
#include "learn/net/categorical.h"

namespace penstock {

/// Chooses as a network finds best, in any number of worlds one after another. Keeps its memory.
class NetChooser {
 public:
  /// For networks of this shape; at most `most` ready tasks are looked at.
  NetChooser(const NetShape& shape, std::uint32_t most);

  /// To be called before the first choice in a sequence.
  void begin(const TaskSequence& tasks, Time origin) { observer_.begin(tasks, origin); }
  /// The likeliest task; the first come if the network knows nothing but nonsense.
  std::uint32_t choose(const ActorCritic& net, const QueueWorld& world);

  // Of the last choice.
  /// How likely it was; 0 if the network had nothing to say.
  double confidence() const { return confidence_; }
  double log_probability() const { return chances_.log_probability(item_); }
  /// The number of the chosen item.
  std::uint32_t item() const { return item_; }
  /// What was seen: one window.
  const Windows& seen() const { return windows_; }

 private:
  TaskObserver observer_;
  Windows windows_;
  std::vector<float> logits_;
  Categorical chances_;
  std::uint32_t item_ = 0;
  double confidence_ = 0;
};

}  // namespace penstock
