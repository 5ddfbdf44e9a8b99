#pragma once

#include "learn/net/actor_critic.h"

namespace penstock {

/// The mean entropy of an actor's choices in nats. Answers must be finite.
double mean_entropy(const ActorCritic& net, const Windows& windows);

/// Makes an actor less sure of itself without changing which item it finds best: divides all its
/// logits by one number so that the mean entropy over the windows is `nats`, or leaves it alone if
/// it is no less already. A copy of a teacher is so sure that it would never try anything else.
void soften(ActorCritic& net, const Windows& windows, double nats);

}  // namespace penstock
