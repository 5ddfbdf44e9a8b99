#pragma once

#include <string>
#include <vector>

#include "learn/mars/contest.h"
#include "learn/net/cloning.h"
#include "learn/net/training_texts.h"

namespace penstock {

/// What a network that nobody taught is called, and how that is asked for.
inline constexpr std::string_view kUntaught = "rl";
inline constexpr std::string_view kNoTeacher = "none";

/// PPO as it trains well on queues: few passes in small steps.
PpoSettings queue_ppo();

struct TrainingSettings {
  std::vector<std::string> teachers{std::string(kNoTeacher)};  ///< orders; one network for each
  ActorKind kind = ActorKind::kernel;
  std::uint32_t updates = 300;  ///< of each network
  std::uint32_t worlds = 64;    ///< played to the end for each update
  std::uint32_t lessons = 64;   ///< episodes that a teacher plays; as many as there are at most
  double softness = 1;          ///< nats of entropy that a taught network begins with, or more
  std::uint32_t warm_up = 2;    ///< rollouts from which only the critic learns, of a taught network
  std::uint32_t validate_every = 5;
  std::uint32_t patience = 20;  ///< validations without a better one, then the network is finished
  CloningSettings cloning{.passes = 20};
  PpoSettings ppo = queue_ppo();
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< changes no bit of the result
};

/// What a network learns on and what it is judged by.
struct Grounds {
  PlayRules rules{};
  std::vector<Contest> training{};    ///< at least one
  std::vector<Contest> validation{};  ///< at least one; never trained on
  std::string origin{};               ///< where they come from, such as a scenario's hash
};

TrainingTexts describe(const TrainingSettings& settings, const Grounds& grounds);

/// Every teacher must be an order, or "none", and named once.
Result<Done> check_teachers(const std::vector<std::string>& teachers);

}  // namespace penstock
