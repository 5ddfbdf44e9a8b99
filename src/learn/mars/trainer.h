#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/mars/ensemble.h"
#include "learn/net/cloning.h"
#include "learn/net/training_state.h"
#include "learn/queue/episodes.h"

namespace penstock {

/// The name of a network without a teacher, and the word in `teachers` that asks for one.
inline constexpr std::string_view kUntaught = "rl";
inline constexpr std::string_view kNoTeacher = "none";

/// PPO as it trains well on queues: few passes in small steps.
PpoSettings queue_ppo();

struct QueueTrainingSettings {
  std::vector<std::string> teachers{std::string(kNoTeacher)};  ///< orders; one network for each
  ActorKind kind = ActorKind::kernel;
  std::uint32_t updates = 300;  ///< of each network
  std::uint32_t worlds = 64;    ///< played to the end for each update
  std::uint32_t lessons = 64;   ///< episodes that a teacher plays; as many as there are at most
  double softness = 1;          ///< least entropy (nats) of a network after cloning
  std::uint32_t warm_up = 2;    ///< rollouts from which only the critic learns, after cloning
  std::uint32_t validate_every = 5;
  std::uint32_t patience = 20;  ///< validations without a better one, then the network is finished
  CloningSettings cloning{.passes = 20};
  PpoSettings ppo = queue_ppo();
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< changes no bit of the result
};

/// What a network learns from and what it is validated with.
struct QueueTrainingData {
  PlayRules rules{};
  std::vector<Episode> training{};    ///< at least one
  std::vector<Episode> validation{};  ///< at least one; never trained on
  std::string origin{};               ///< where they come from, such as a scenario's hash
};

/// Everything that the result depends on.
TrainingDescription describe(const QueueTrainingSettings& settings, const QueueTrainingData& data);

/// Every teacher must be an order, or "none", and named once.
Result<Done> check_teachers(const std::vector<std::string>& teachers);

/// Trains networks one after another: each is cloned from its teacher, then improved by PPO, and
/// the best by validation is kept. Returns are those of episodes; -1 is as good as the best
/// heuristic of each in hindsight. The result is a function of settings and data alone, wherever it
/// was stopped and resumed from a checkpoint.
class QueueTrainer {
 public:
  /// Settings must be sensible and teachers checked.
  QueueTrainer(QueueTrainingSettings settings, QueueTrainingData data);

  /// Goes on from what checkpoint() wrote. Refuses one of other settings or another origin, and
  /// says which differ.
  Result<Done> resume(std::string_view checkpoint);

  bool finished() const { return members_.size() == settings_.teachers.size(); }
  /// Clones the next network from its teacher, or updates the current one once. If something is not
  /// finite the error says so, and everything is as it was before. Must not be finished.
  Result<Done> step();

  const std::vector<CurvePoint>& curve() const { return progress_.curve; }
  /// Those that are finished, each as it was at its best.
  const std::vector<NamedNetwork>& members() const { return members_; }
  const QueueTrainingData& data() const { return data_; }
  const QueueTrainingSettings& settings() const { return settings_; }
  /// What the next or current network is called.
  std::string name_of(std::size_t member) const;
  std::string checkpoint() const;

 private:
  Result<Done> begin_member();
  Result<double> clone_teacher(ActorCritic& net) const;
  Result<Ppo> warm_up(const ActorCritic& net) const;
  Result<Done> update();
  Result<double> play(const ActorCritic& net, const Rng& rng, Rollout& record) const;
  Result<double> validate(const ActorCritic& net) const;
  Result<Done> record_validation(NetInTraining& current, CurvePoint& point) const;
  Result<std::vector<NamedNetwork>> load_members(const Weights& weights, std::uint64_t count) const;
  Rng chance() const;

  QueueTrainingSettings settings_;
  QueueTrainingData data_;
  std::vector<NamedNetwork> members_;
  TrainingProgress progress_;
};

}  // namespace penstock
