#pragma once

#include "learn/net/actor_critic.h"
#include "learn/net/losses.h"
#include "learn/net/optimiser.h"
#include "learn/net/rollout.h"

namespace penstock {

enum class RateSchedule { constant, linear };

struct PpoSettings {
  double gamma = 1;
  double lambda = 0.97;
  double clip = 0.2;
  double entropy = 0;  ///< bonus per nat
  double policy_rate = 3e-4;
  double value_rate = 1e-3;
  std::uint32_t policy_iterations = 80;  ///< passes over the rollout; 0 leaves the actor alone
  std::uint32_t value_iterations = 80;
  double target_divergence = 0.01;  ///< beyond 1.5 times it the actor's passes end; 0: never
  double longest_gradient = 0.5;    ///< 0: any
  ValueLoss value_loss = ValueLoss::squared;
  bool scale_values = true;     ///< the critic learns returns less their mean over their spread
  std::uint32_t minibatch = 0;  ///< samples a step; 0: all
  RateSchedule schedule = RateSchedule::constant;
  std::uint32_t updates = 0;  ///< after so many a linear schedule is at 0
  std::uint32_t threads = 1;  ///< changes no bit of the result
};

struct PpoReport {
  double policy_loss = 0;  ///< these five of the last step that was looked at
  double entropy = 0;
  double divergence = 0;
  double clipped = 0;  ///< share of samples
  double value_loss = 0;
  double explained = 0;  ///< share of the returns' variance that the critic predicted
  std::uint32_t policy_steps = 0;
  std::uint32_t value_steps = 0;
};

/// Improves an actor and its critic by what they did (proximal policy optimisation, Schulman et
/// al., arXiv 1707.06347). A function of the settings, the seed and the rollouts alone.
class Ppo {
 public:
  Ppo(const ActorCritic& net, const PpoSettings& settings, const Rng& rng);

  const ActorCritic& net() const { return state_.net; }
  std::uint64_t updates() const { return state_.updates; }

  /// If a reward, a loss or a gradient is not finite, the error says so, and everything is as it
  /// was before.
  Result<PpoReport> update(const Rollout& rollout);

  /// Stores all that is needed to continue with the same bits, but the settings.
  void store(Weights& weights) const;
  static Result<Ppo> load(const Weights& weights, const PpoSettings& settings);

 private:
  struct State {
    ActorCritic net;
    Adam actor;
    Adam critic;
    Rng rng;
    std::uint64_t updates = 0;
  };
  struct Targets;
  Ppo(State state, const PpoSettings& settings);
  Result<Done> improve_actor(const Rollout& rollout, const Targets& targets, PpoReport& report);
  Result<Done> improve_critic(const Rollout& rollout, const Targets& targets, PpoReport& report);
  double rate(double full) const;

  PpoSettings settings_;
  State state_;
};

/// The PPO of a cloned network. Its critic is still untrained and would mislead the actor, so only
/// the critic learns from the first `rounds` rollouts. play(rng, rollout) fills a rollout and
/// returns its mean return.
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
