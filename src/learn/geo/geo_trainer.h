#pragma once

#include <optional>

#include "learn/geo/agent_router.h"
#include "learn/geo/geo_episode.h"
#include "learn/geo/observation.h"
#include "learn/net/cloning.h"
#include "learn/net/training_state.h"

namespace penstock {

/// As MAPPO recommends (Yu et al., arXiv 2103.01955), but for a job's few steps nothing is
/// discounted.
PpoSettings mappo_settings();

/// The rule that a network is cloned from before it is improved.
enum class GeoTeacher : std::uint8_t { none, thrifty, thrifty_wait };

struct NamedGeoTeacher {
  std::string_view name;
  GeoTeacher teacher{};
};
/// Every teacher, by the name that users have for it.
std::span<const NamedGeoTeacher> geo_teachers();

struct GeoTrainingSettings {
  GeoVariant variant = default_geo_variant();
  ActorKind kind = ActorKind::kernel;
  bool waiting = true;    ///< as in GeoRules
  bool transfers = true;  ///< as in GeoRules
  PpoSettings ppo = mappo_settings();
  std::uint32_t updates = 100;
  std::uint32_t worlds = 8;  ///< episodes played side by side for an update
  GeoTeacher teacher = GeoTeacher::thrifty;
  std::uint32_t lessons = 8;  ///< episodes of the teacher to clone from
  CloningSettings cloning{};
  double softness = 0.3;      ///< least entropy (nats) of a network after cloning
  std::uint32_t warm_up = 2;  ///< updates of only the critic, after cloning
  std::uint32_t validate_every = 5;
  std::uint32_t patience = 20;  ///< validations without a better one, then stop
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< changes no bit of the result
};

/// What is trained in and validated with. Episodes must not be empty.
struct GeoTrainingData {
  GeoWorld world{};
  std::vector<GeoEpisode> training{};
  std::vector<GeoEpisode> validation{};
  std::string origin{};  ///< where they come from, such as a scenario's hash
};

/// Everything that the result depends on.
TrainingDescription describe(const GeoTrainingSettings& settings, const GeoTrainingData& data);

/// Trains the network of a variant: cloned from the thrifty chooser, then improved by PPO; the
/// best by validation is kept. Returns are those of a job, in mean jobs, without what it caused
/// others. A function of settings and data alone, wherever it was stopped and resumed from a
/// checkpoint.
class GeoTrainer {
 public:
  /// Computes the cost of a mean job if all jobs stay at home.
  static Result<GeoTrainer> make(const GeoTrainingSettings& settings, GeoTrainingData data);

  /// Goes on from what checkpoint() wrote. Refuses one of other settings or another origin, and
  /// says which differ.
  Result<Done> resume(std::string_view checkpoint);

  bool finished() const {
    return progress_.current && (progress_.current->update >= settings_.updates ||
                                 progress_.current->stale >= settings_.patience);
  }
  /// Demonstrations at first, then one update each. If something is not finite the error says so,
  /// and everything is as it was before. Must not be finished.
  Result<Done> step();

  const std::vector<CurvePoint>& curve() const { return progress_.curve; }
  /// At its best. There must have been a step.
  const ActorCritic& best() const { return progress_.current->best; }
  const GeoRules& rules() const { return rules_; }
  const GeoTrainingSettings& settings() const { return settings_; }
  const GeoTrainingData& data() const { return data_; }
  std::string checkpoint() const;

 private:
  GeoTrainer(const GeoTrainingSettings& settings, GeoTrainingData data);
  Result<Done> begin();
  Result<Done> clone_teacher(ActorCritic& net, CurvePoint& point) const;
  Result<Ppo> warm_up(const ActorCritic& net) const;
  Result<double> play(const ActorCritic& net, const Rng& rng, Rollout& record) const;
  Result<double> validate(const ActorCritic& net) const;
  Result<Done> record_validation(NetInTraining& current, CurvePoint& point) const;
  Rng chance() const { return Rng(settings_.seed).stream("geo training"); }

  GeoTrainingSettings settings_;
  GeoTrainingData data_;
  GeoRules rules_;
  TrainingProgress progress_;
};

}  // namespace penstock
