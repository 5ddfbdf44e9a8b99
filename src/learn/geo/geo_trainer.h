#pragma once

#include <optional>

#include "learn/geo/agent_router.h"
#include "learn/geo/geo_settings.h"
#include "learn/net/net_in_training.h"

namespace penstock {

/// Trains the network of a variant: cloned from the thrifty chooser, then improved by PPO; the
/// best by validation is kept. Returns are those of a job, in mean jobs, without what it caused
/// others. A function of settings and grounds alone, wherever it was stopped and resumed from a
/// checkpoint.
class GeoTrainer {
 public:
  /// Finds out what a mean job costs if all stay at home.
  static Result<GeoTrainer> make(const GeoTrainingSettings& settings, GeoGrounds grounds);

  /// Goes on from what checkpoint() wrote. Refuses one of other settings or another origin, and
  /// says which differ.
  Result<Done> resume(std::string_view checkpoint);

  bool finished() const {
    return current_ &&
           (current_->update >= settings_.updates || current_->stale >= settings_.patience);
  }
  /// Lessons at first, then one update each. If something is not finite the error says so, and
  /// everything is as it was before. Must not be finished.
  Result<Done> step();

  const std::vector<CurvePoint>& curve() const { return curve_; }
  /// At its best. There must have been a step.
  const ActorCritic& best() const { return current_->best; }
  const GeoRules& rules() const { return rules_; }
  const GeoTrainingSettings& settings() const { return settings_; }
  const GeoGrounds& grounds() const { return grounds_; }
  std::string checkpoint() const;

 private:
  GeoTrainer(const GeoTrainingSettings& settings, GeoGrounds grounds);
  Result<Done> begin();
  Result<Done> teach(ActorCritic& net, CurvePoint& point) const;
  Result<Ppo> warm_up(const ActorCritic& net) const;
  Result<double> play(const ActorCritic& net, const Rng& rng, Rollout& record) const;
  Result<double> validate(const ActorCritic& net) const;
  Result<Done> judge(NetInTraining& current, CurvePoint& point) const;
  Rng chance() const { return Rng(settings_.seed).stream("geo training"); }

  GeoTrainingSettings settings_;
  GeoGrounds grounds_;
  GeoRules rules_;
  std::optional<NetInTraining> current_;
  std::vector<CurvePoint> curve_;
};

}  // namespace penstock
