#pragma once

#include "base/result.h"
#include "base/rng.h"
#include "learn/net/parameters.h"
#include "learn/net/rollout.h"
#include "learn/net/weights.h"

namespace penstock {

/// The mean and spread of all returns seen, by which a critic's answers are scaled.
struct ValueScale {
  double count = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared distances from the mean

  void add(double value);
  /// 1 until two different values were seen.
  double deviation() const;
  double normalise(double value) const { return (value - mean) / deviation(); }
  double denormalise(double value) const { return mean + value * deviation(); }
};

/// An actor, which says how likely each item of a window should be chosen, and a critic, which
/// says what return to expect. A value: copies are independent. Many windows at once are faster
/// than one by one, and each has the same answer, bit for bit.
class ActorCritic {
 public:
  /// Drawn from `rng`.
  ActorCritic(const NetShape& shape, const Rng& rng);

  const NetShape& shape() const { return shape_; }

  /// A logit for every item of every window, in their order: see Windows::of and Categorical.
  void logits(const Windows& windows, std::vector<float>& out) const;
  /// The expected return of every window.
  void values(const Windows& windows, std::vector<float>& out) const;

  /// Adds tensors and what the shape is, as "net.*", to the metadata.
  void store(Weights& weights) const;
  /// The network that store() wrote, bit for bit.
  static Result<ActorCritic> load(const Weights& weights);

  Parameters actor;
  Parameters critic;
  ValueScale scale{};

 private:
  explicit ActorCritic(const NetShape& shape);
  NetShape shape_;
};

}  // namespace penstock
