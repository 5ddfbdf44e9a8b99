#pragma once

#include <optional>

#include "learn/mars/ensemble.h"
#include "learn/mars/training_settings.h"
#include "learn/net/net_in_training.h"

namespace penstock {

/// Trains networks one after another: each is cloned from its teacher, then improved by PPO, and
/// the best by validation is kept. Returns are those of episodes; -1 is as the best heuristic of
/// each in hindsight. A function of settings and grounds alone, wherever it was
/// stopped and resumed from a checkpoint.
class Trainer {
 public:
  /// Settings must be sensible and teachers checked.
  Trainer(TrainingSettings settings, Grounds grounds);

  /// Goes on from what checkpoint() wrote. Refuses one of other settings or another origin, and
  /// says which differ.
  Result<Done> resume(std::string_view checkpoint);

  bool finished() const { return members_.size() == settings_.teachers.size(); }
  /// The next network's lessons, or one update of it. If something is not finite the error says
  /// so, and everything is as it was before. Must not be finished.
  Result<Done> step();

  const std::vector<CurvePoint>& curve() const { return curve_; }
  /// Those that are finished, each as it was at its best.
  const std::vector<Member>& members() const { return members_; }
  const Grounds& grounds() const { return grounds_; }
  const TrainingSettings& settings() const { return settings_; }
  /// What the next or current network is called.
  std::string name_of(std::size_t member) const;
  std::string checkpoint() const;

 private:
  Result<Done> begin_member();
  Result<double> teach(ActorCritic& net) const;
  Result<Ppo> warm_up(const ActorCritic& net) const;
  Result<Done> update();
  Result<double> play(const ActorCritic& net, const Rng& rng, Rollout& record) const;
  Result<double> validate(const ActorCritic& net) const;
  Result<Done> judge(NetInTraining& current, CurvePoint& point) const;
  Result<std::vector<Member>> load_members(const Weights& weights, std::uint64_t count) const;
  Rng chance() const;

  TrainingSettings settings_;
  Grounds grounds_;
  std::vector<Member> members_;
  std::optional<NetInTraining> current_;
  std::vector<CurvePoint> curve_;
};

}  // namespace penstock
