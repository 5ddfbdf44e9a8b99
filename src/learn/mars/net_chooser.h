#pragma once

#include "learn/mars/observation.h"
#include "learn/net/actor_critic.h"
#include "learn/net/categorical.h"

namespace penstock {

/// Chooses as a network finds best, in any number of worlds one after another.
class NetChooser {
 public:
  /// `net` must outlive it. At most `most` ready tasks are looked at.
  NetChooser(const ActorCritic& net, std::uint32_t most);

  /// To be called before the first choice in a sequence.
  void begin(const TaskSequence& tasks, Time origin) { observer_.begin(tasks, origin); }
  /// The likeliest task; the first come if the network knows nothing but nonsense.
  std::uint32_t choose(const QueueWorld& world);
  /// How likely it was.
  double confidence() const { return confidence_; }
  /// What it saw then.
  const Observer& seen() const { return observer_; }

 private:
  const ActorCritic* net_;
  Observer observer_;
  Windows windows_;
  std::vector<float> logits_;
  Categorical chances_;
  double confidence_ = 0;
};

}  // namespace penstock
