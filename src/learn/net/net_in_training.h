#pragma once

#include <limits>

#include "learn/net/curve.h"
#include "learn/net/ppo.h"
#include "learn/net/weights.h"

namespace penstock {

/// A network that is being trained, and the best that it has been in validation.
struct NetInTraining {
  Ppo ppo;
  ActorCritic best;
  double best_return = -std::numeric_limits<double>::infinity();
  std::uint64_t update = 0;
  std::uint64_t stale = 0;  ///< validations without a better one

  /// It came to this in validation: keeps it if that is better than all before.
  void judge(double reached, CurvePoint& point);
};

/// All but its counters.
void put_net_in_training(const NetInTraining& net, Weights& weights);
/// The same again; both networks must be of this shape.
Result<NetInTraining> stored_net_in_training(const Weights& weights, const PpoSettings& ppo,
                                             const NetShape& shape);

}  // namespace penstock
