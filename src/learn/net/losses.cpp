#include "learn/net/losses.h"

#include <algorithm>
#include <cmath>

namespace penstock {

template <class T>
PolicyTerms policy_loss(const Categorical& now, const PolicySample& sample, const PolicyAims& aims,
                        double weight, std::span<T> slopes) {
  const double log_ratio = now.log_probability(sample.action) - sample.log_probability;
  const double ratio = std::exp(log_ratio);
  const double free = ratio * sample.advantage;
  const double held = std::clamp(ratio, 1 - aims.clip, 1 + aims.clip) * sample.advantage;
  const bool clipped = held < free;
  const double entropy = now.entropy();
  const double pull = clipped ? 0 : free;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double p = now.probability(i);
    const double chosen = i == sample.action ? 1 : 0;
    const double spread = p > 0 ? p * (now.log_probability(i) + entropy) : 0;
    slopes[i] = static_cast<T>(weight * (pull * (p - chosen) + aims.entropy * spread));
  }
  return {.loss = -std::min(free, held) - aims.entropy * entropy,
          .entropy = entropy,
          .divergence = std::expm1(log_ratio) - log_ratio,
          .clipped = clipped ? 1.0 : 0.0};
}

template <class T>
double cloning_loss(const Categorical& now, std::uint32_t choice, double weight,
                    std::span<T> slopes) {
  for (std::size_t i = 0; i < now.size(); ++i)
    slopes[i] = static_cast<T>(weight * (now.probability(i) - (i == choice ? 1 : 0)));
  return -now.log_probability(choice);
}

LossAndSlope value_loss(ValueLoss kind, double predicted, double target) {
  const double away = predicted - target;
  if (kind == ValueLoss::squared || std::abs(away) <= 1) return {away * away / 2, away};
  return {std::abs(away) - 0.5, std::copysign(1, away)};
}

template PolicyTerms policy_loss(const Categorical&, const PolicySample&, const PolicyAims&, double,
                                 std::span<float>);
template PolicyTerms policy_loss(const Categorical&, const PolicySample&, const PolicyAims&, double,
                                 std::span<double>);
template double cloning_loss(const Categorical&, std::uint32_t, double, std::span<float>);
template double cloning_loss(const Categorical&, std::uint32_t, double, std::span<double>);

}  // namespace penstock
