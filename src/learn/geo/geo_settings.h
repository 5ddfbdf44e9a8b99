#pragma once

#include "learn/geo/geo_world.h"
#include "learn/geo/variant.h"
#include "learn/net/cloning.h"
#include "learn/net/training_texts.h"

namespace penstock {

/// As MAPPO recommends (Yu et al., arXiv 2103.01955), but for a job's few steps nothing is
/// discounted.
PpoSettings mappo_settings();

/// Whom a network copies before it is improved.
enum class GeoTeacher : std::uint8_t { none, thrifty, thrifty_wait };

struct GeoTrainingSettings {
  GeoVariant variant = geo_variants().front();
  ActorKind kind = ActorKind::kernel;
  bool waiting = true;    ///< as in GeoRules
  bool transfers = true;  ///< the same
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
  std::string origin{};  ///< where they come from, such as a scenario's hash
};

TrainingTexts describe(const GeoTrainingSettings& settings, const GeoGrounds& grounds);

}  // namespace penstock
