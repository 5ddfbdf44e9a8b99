#include "learn/net/training_texts.h"

#include <fmt/format.h>

#include "learn/net/net_texts.h"
#include "learn/net/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kSettings = "settings.";

}  // namespace

std::string text_of(const PpoSettings& ppo) {
  return fmt::format(
      "gamma {} lambda {} clip {} kl {} entropy {} rates {} {} passes {} {} minibatch {} gradient "
      "{} {} loss of {} values",
      ppo.gamma, ppo.lambda, ppo.clip, ppo.target_divergence, ppo.entropy, ppo.policy_rate,
      ppo.value_rate, ppo.policy_iterations, ppo.value_iterations, ppo.minibatch,
      ppo.longest_gradient, ppo.value_loss == ValueLoss::huber ? "huber" : "squared",
      ppo.scale_values ? "scaled" : "plain");
}

void put_training(Weights& weights, std::string_view kind, const TrainingTexts& texts) {
  weights.metadata[kKindText] = kind;
  for (const auto& [name, text] : texts) weights.metadata[kSettings + name] = text;
}

Result<Done> check_training(const Weights& weights, std::string_view kind,
                            const TrainingTexts& texts) {
  const auto stored = stored_text(weights, kKindText);
  if (!stored) return stored.error();
  if (*stored != kind) return Error{"is not a checkpoint of such a training"};
  std::string differing;
  for (const auto& [name, mine] : texts) {
    const auto theirs = stored_text(weights, kSettings + name);
    if (!theirs) return theirs.error();
    if (*theirs == mine) continue;
    differing += fmt::format("{}{} was '{}' and is now '{}'", differing.empty() ? "" : ", ", name,
                             *theirs, mine);
  }
  if (differing.empty()) return Done{};
  return Error{
      fmt::format("is of another training: {}; go on with the same, or train anew without --resume",
                  differing)};
}

Result<ActorCritic> stored_net(const Weights& weights, const std::string& prefix,
                               const NetShape& shape) {
  auto net = ActorCritic::load(part_of(weights, prefix));
  if (net && net->shape() != shape)
    return Error{"holds a network that is not of the shape that its features need"};
  return net;
}

}  // namespace penstock
