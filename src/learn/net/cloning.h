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

/// Teaches an actor to choose as a teacher did: of window i the item `choices[i]`, which must not
/// be barred. If a loss is not finite, the error says so, and the actor is as it was.
Result<CloningReport> clone_choices(ActorCritic& net, const Windows& windows,
                                    std::span<const std::uint32_t> choices,
                                    const CloningSettings& settings, Rng rng);

/// The share of windows in which the actor's likeliest item is the teacher's choice.
double agreement(const ActorCritic& net, const Windows& windows,
                 std::span<const std::uint32_t> choices);

}  // namespace penstock
