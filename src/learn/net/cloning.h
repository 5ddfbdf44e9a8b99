#pragma once

#include "learn/net/actor_critic.h"

namespace penstock {

struct CloningSettings {
  double rate = 1e-3;
  std::uint32_t passes = 10;
  std::uint32_t minibatch = 256;  ///< windows a step; 0: all
  double longest_gradient = 0;    ///< 0: any
  std::uint32_t threads = 1;      ///< changes no bit of the result
};

struct CloningReport {
  double loss = 0;  ///< mean cross-entropy in the last pass, in nats
  std::uint64_t steps = 0;
};

/// What a teacher chose: of window i the item `choices[i]`, which is not barred.
struct Demonstrations {
  Windows windows;
  std::vector<std::uint32_t> choices{};
};

/// Trains an actor to choose as demonstrated (behavioural cloning). If a loss is not finite, the
/// error says so, and the actor is as it was.
Result<CloningReport> clone_choices(ActorCritic& net, const Demonstrations& shown,
                                    const CloningSettings& settings, Rng rng);

/// The share of windows in which the actor's likeliest item is the demonstrated one.
double agreement(const ActorCritic& net, const Demonstrations& shown);

/// The mean entropy of an actor's choices in nats. Answers must be finite.
double mean_entropy(const ActorCritic& net, const Windows& windows);

/// Raises the entropy of an actor without changing which item it finds best: divides all its logits
/// by one number so that the mean entropy over the windows is `nats`, or leaves it alone if it is
/// no less already. A clone of a teacher is so certain that it would never explore.
void raise_entropy(ActorCritic& net, const Windows& windows, double nats);

}  // namespace penstock
