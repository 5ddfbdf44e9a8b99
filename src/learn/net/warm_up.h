#pragma once

#include "learn/net/ppo.h"

namespace penstock {

/// A taught network's PPO: its critic knows nothing yet and must not lead the actor astray, so it
/// alone learns from `rounds` rollouts first. play(rng, rollout) fills one and says how it went.
template <class Play>
Result<Ppo> warm_up_critic(const ActorCritic& net, const PpoSettings& settings,
                           std::uint32_t rounds, const Rng& chance, const Play& play) {
  PpoSettings only_critic = settings;
  only_critic.policy_iterations = 0;
  Ppo ppo(net, only_critic, chance.stream("ppo"));
  for (std::uint32_t i = 0; i < rounds; ++i) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    if (auto played = play(chance.stream("warm-up").stream(i), record); !played)
      return std::move(played).error();
    if (auto learnt = ppo.update(record); !learnt) return std::move(learnt).error();
  }
  Weights state;
  ppo.store(state);
  return Ppo::load(state, settings);
}

}  // namespace penstock
