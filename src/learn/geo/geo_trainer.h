#pragma once

#include <limits>
#include <optional>

#include "learn/geo/agent_router.h"
#include "learn/geo/geo_world.h"
#include "learn/net/cloning.h"
#include "learn/net/ppo.h"

namespace penstock {

/// As MAPPO recommends (Yu et al., arXiv 2103.01955), but for a job's few steps nothing is
/// discounted.
PpoSettings mappo_settings();

/// Whom a network copies before it is improved.
enum class GeoTeacher : std::uint8_t { none, thrifty, thrifty_wait };

struct GeoTrainingSettings {
  GeoVariant variant = geo_variants().front();
  ActorKind kind = ActorKind::kernel;
  PpoSettings ppo = mappo_settings();
  std::uint32_t updates = 100;
  std::uint32_t worlds = 8;  ///< episodes played side by side for an update
  GeoTeacher teacher = GeoTeacher::thrifty;
  std::uint32_t lessons = 8;  ///< episodes watched of the teacher
  CloningSettings cloning{};
  double softness = 0.3;      ///< nats of entropy that a taught network begins with
  std::uint32_t warm_up = 2;  ///< updates of a taught network's critic alone
  std::uint32_t validate_every = 5;
  std::uint32_t patience = 20;  ///< validations without a better one, then stop
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< changes no bit of the result
};

/// What is trained in. Episodes must not be empty.
struct GeoGrounds {
  GeoWorld world{};
  std::vector<GeoEpisode> training{};
  std::vector<GeoEpisode> validation{};
};

/// How one update went. What was not measured is not a number.
struct GeoCurvePoint {
  static constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t update = 0;           ///< 0: what it knew from its teacher, or nothing
  std::uint64_t decisions = 0;        ///< that it learnt from
  double mean_return = kNotMeasured;  ///< of a job, in mean jobs, without what it caused others
  double validation = kNotMeasured;   ///< the same of the likeliest choices, where never trained
  double best = kNotMeasured;         ///< validation so far
  double entropy = kNotMeasured;      ///< nats a decision
  double divergence = kNotMeasured;
  double explained = kNotMeasured;
  double agreement = kNotMeasured;  ///< with the teacher, on validation episodes
};

/// Trains the network of a variant: cloned from the thrifty chooser, then improved by PPO; the
/// best by validation is kept. A function of settings and grounds alone.
class GeoTrainer {
 public:
  /// Finds out what a mean job costs if all stay at home.
  static Result<GeoTrainer> make(const GeoTrainingSettings& settings, GeoGrounds grounds);

  bool finished() const { return current_ && (update_ == settings_.updates || is_stale()); }
  /// Lessons at first, then one update each. If something is not finite the error says so, and
  /// everything is as it was before. Must not be finished.
  Result<Done> step();

  const std::vector<GeoCurvePoint>& curve() const { return curve_; }
  /// At its best. There must have been a step.
  const ActorCritic& best() const { return *best_; }
  const GeoRules& rules() const { return rules_; }
  const GeoTrainingSettings& settings() const { return settings_; }
  const GeoGrounds& grounds() const { return grounds_; }

 private:
  GeoTrainer(const GeoTrainingSettings& settings, GeoGrounds grounds);
  bool is_stale() const { return stale_ >= settings_.patience; }
  Result<Done> begin();
  Result<Done> teach(ActorCritic& net, GeoCurvePoint& point) const;
  Result<Ppo> warm_up(const ActorCritic& net) const;
  Result<double> play(const ActorCritic& net, const Rng& rng, Rollout& record) const;
  Result<double> validate(const ActorCritic& net) const;
  Result<Done> judge(const ActorCritic& net, GeoCurvePoint& point);
  Rng chance() const { return Rng(settings_.seed).stream("geo training"); }

  GeoTrainingSettings settings_;
  GeoGrounds grounds_;
  GeoRules rules_;
  std::optional<Ppo> current_;
  std::optional<ActorCritic> best_;
  double best_return_ = -std::numeric_limits<double>::infinity();
  std::uint64_t update_ = 0;
  std::uint64_t stale_ = 0;  ///< validations without a better one
  std::vector<GeoCurvePoint> curve_;
};

}  // namespace penstock
