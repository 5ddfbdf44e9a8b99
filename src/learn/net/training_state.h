#pragma once

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "learn/net/ppo.h"
#include "learn/net/weights.h"

namespace penstock {

/// How one update of one network went. What was not measured is not a number.
struct CurvePoint {
  static constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

  std::uint64_t member = 0;           ///< which network, of those trained one after another
  std::uint64_t update = 0;           ///< 0: what it knew from its teacher, or nothing
  std::uint64_t decisions = 0;        ///< that it learnt from
  double mean_return = kNotMeasured;  ///< of what was played
  double validation =
      kNotMeasured;               ///< mean return of the likeliest choices on validation episodes
  double best = kNotMeasured;     ///< validation so far
  double entropy = kNotMeasured;  ///< nats a decision
  double divergence = kNotMeasured;  ///< of the last step
  double explained = kNotMeasured;   ///< share of the returns' variance that the critic predicted
  double agreement = kNotMeasured;   ///< with its teacher, on validation episodes
};

void put_curve(Weights& weights, std::span<const CurvePoint> curve);
/// What put_curve() added, bit for bit.
Result<std::vector<CurvePoint>> stored_curve(const Weights& weights);

/// All that the result of a training depends on, as texts by name; threads are not among it.
using TrainingDescription = std::map<std::string, std::string>;

std::string text_of(const PpoSettings& ppo);

/// What the settings of every trainer have.
template <class Settings>
TrainingDescription describe_common(const Settings& settings) {
  return {
      {"net", settings.kind == ActorKind::kernel ? "kernel" : "attention"},
      {"updates", std::to_string(settings.updates)},
      {"worlds", std::to_string(settings.worlds)},
      {"lessons", fmt::format("{} x {}, softness {}, warm-up {}", settings.lessons,
                              settings.cloning.passes, settings.softness, settings.warm_up)},
      {"validation",
       fmt::format("every {}, patience {}", settings.validate_every, settings.patience)},
      {"ppo", text_of(settings.ppo)},
      {"seed", std::to_string(settings.seed)},
  };
}

/// Makes `weights` a checkpoint of a kind of training.
void put_training(Weights& weights, std::string_view kind, const TrainingDescription& texts);
/// Refuses what is no checkpoint of that kind, and one of other settings: the error says which
/// differ.
Result<Done> check_training(const Weights& weights, std::string_view kind,
                            const TrainingDescription& texts);

/// A network with that prefix, which must be of this shape.
Result<ActorCritic> stored_net(const Weights& weights, const std::string& prefix,
                               const NetShape& shape);

/// A network that is being trained, and the best that it has been in validation.
struct NetInTraining {
  Ppo ppo;
  ActorCritic best;
  double best_return = -std::numeric_limits<double>::infinity();
  std::uint64_t update = 0;
  std::uint64_t stale = 0;  ///< validations without a better one

  /// Records a return reached in validation; keeps the network if that is the best so far.
  void record_validation(double reached, CurvePoint& point);
};

/// The state of a training, without networks that are finished.
struct TrainingProgress {
  std::optional<NetInTraining> current{};
  std::vector<CurvePoint> curve{};
};

/// Adds the progress to a checkpoint. `counters` are the trainer's own numbers.
void put_progress(Weights& weights, std::vector<std::uint64_t> counters,
                  const TrainingProgress& progress);

struct StoredProgress {
  std::vector<std::uint64_t> counters{};
  TrainingProgress progress{};
};
/// What put_progress() added, bit for bit, if there were `counters` counters of the trainer and
/// networks are of this shape.
Result<StoredProgress> stored_progress(const Weights& weights, std::size_t counters,
                                       const PpoSettings& settings, const NetShape& shape);

/// One update of a network in training: play(network, rng, rollout) fills a rollout and returns the
/// mean return, and PPO learns from it. Validation is left to the caller.
template <class Play>
Result<CurvePoint> update_once(NetInTraining& net, const Rng& rng, const Play& play) {
  const NetShape& shape = net.ppo.net().shape();
  Rollout record(shape.item_features, shape.global_features, 0);
  const auto played = play(net.ppo.net(), rng, record);
  if (!played) return played.error();
  const auto learnt = net.ppo.update(record);
  if (!learnt) return learnt.error();
  ++net.update;
  return CurvePoint{.update = net.update,
                    .decisions = record.size(),
                    .mean_return = *played,
                    .best = net.best_return,
                    .entropy = learnt->entropy,
                    .divergence = learnt->divergence,
                    .explained = learnt->explained};
}

}  // namespace penstock
