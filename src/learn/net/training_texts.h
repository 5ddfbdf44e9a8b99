#pragma once

#include "learn/net/ppo.h"
#include "learn/net/weights.h"

namespace penstock {

/// All that the result of a training depends on, as texts by name; threads are not among it.
using TrainingTexts = std::map<std::string, std::string>;

std::string text_of(const PpoSettings& ppo);

/// Makes `weights` a checkpoint of a kind of training.
void put_training(Weights& weights, std::string_view kind, const TrainingTexts& texts);
/// Refuses what is no checkpoint of that kind, and one of other settings: the error says which
/// differ.
Result<Done> check_training(const Weights& weights, std::string_view kind,
                            const TrainingTexts& texts);

/// A network with that prefix, which must be of this shape.
Result<ActorCritic> stored_net(const Weights& weights, const std::string& prefix,
                               const NetShape& shape);

}  // namespace penstock
