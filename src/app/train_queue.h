#pragma once

#include "app/train_grounds.h"
#include "app/train_loop.h"

namespace penstock {

/// What `penstock train` is asked for networks that order a queue.
struct QueueTrainRequest {
  QueueDataRequest data{.rules = {.queue = {.backfill = Backfill::easy}}};
  QueueTrainingSettings settings{};
  TrainFiles files{};
  std::string policy = "mars";
  std::vector<std::string> teachers{};  ///< none: the usual ones of the policy
};

/// Trains, and writes weights and the curve.
Result<Done> train_queue(QueueTrainRequest request);

}  // namespace penstock
