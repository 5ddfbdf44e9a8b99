#pragma once

#include "learn/net/categorical.h"

namespace penstock {

/// What was done in a window, and how much better it was than expected.
struct PolicySample {
  std::uint32_t action = 0;
  double log_probability = 0;  ///< when it was done
  double advantage = 0;
};

struct PolicyAims {
  double clip = 0.2;
  double entropy = 0;  ///< what a nat of it is worth
};

struct PolicyTerms {
  double loss = 0;
  double entropy = 0;
  double divergence = 0;  ///< an estimate, never negative, of the change of policy: r - 1 - log r
  double clipped = 0;     ///< 1 if the policy has changed as much here as it may
};

/// PPO's clipped loss (Schulman et al., arXiv 1707.06347) less the entropy bonus. Writes `weight`
/// times its slope by each logit.
template <class T>
PolicyTerms policy_loss(const Categorical& now, const PolicySample& sample, const PolicyAims& aims,
                        double weight, std::span<T> slopes);

/// Cross-entropy to a teacher's choice. Writes `weight` times its slope by each logit.
template <class T>
double cloning_loss(const Categorical& now, std::uint32_t choice, double weight,
                    std::span<T> slopes);

enum class ValueLoss { squared, huber };

struct LossAndSlope {
  double loss = 0;
  double slope = 0;
};
/// Half the square of the distance; with `huber`, beyond 1 only its length.
LossAndSlope value_loss(ValueLoss kind, double predicted, double target);

}  // namespace penstock
