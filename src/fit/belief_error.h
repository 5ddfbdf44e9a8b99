#pragma once

#include "model/profile.h"

namespace penstock {

/// How far predictions are from the truth, as parts of it.
struct BeliefError {
  double throughput = 0;
  double draw = 0;
};

/// The mean absolute errors of what `believed` predicts, over a fixed grid of ways of running
/// on nodes of eight GPUs: every power of two of GPUs that the profile allows, up to 16; three
/// batches for each; five clocks from half the highest up. Of a table, what it holds.
BeliefError belief_error(const Profile& believed, const Profile& truth);

}  // namespace penstock
