#include "learn/net/losses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace penstock {

template <class T>
bool Categorical::set(std::span<const T> logits, std::span<const std::uint8_t> barred) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  PENSTOCK_CHECK(barred.empty() || barred.size() == logits.size());
  chances_.assign(logits.size(), 0);
  logs_.assign(logits.size(), kNever);
  double most = kNever;
  bool finite = true;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!barred.empty() && barred[i] != 0) continue;
    logs_[i] = static_cast<double>(logits[i]);
    finite = finite && std::isfinite(logs_[i]);
    most = std::max(most, logs_[i]);
  }
  if (!finite) return false;
  PENSTOCK_CHECK(most > kNever);
  double sum = 0;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    if (logs_[i] > kNever) chances_[i] = std::exp(logs_[i] - most);
    sum += chances_[i];
  }
  const double log_sum = most + std::log(sum);
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    chances_[i] /= sum;
    logs_[i] -= log_sum;
  }
  return true;
}

double Categorical::entropy() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (chances_[i] > 0) sum -= chances_[i] * logs_[i];
  return sum;
}

double Categorical::divergence(const Categorical& other) const {
  PENSTOCK_CHECK(other.size() == size());
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (chances_[i] > 0) sum += chances_[i] * (logs_[i] - other.logs_[i]);
  return sum;
}

std::uint32_t Categorical::best() const {
  return static_cast<std::uint32_t>(std::ranges::max_element(logs_) - logs_.begin());
}

std::uint32_t Categorical::at(double uniform) const {
  std::uint32_t last = best();  // rounding may leave the sum a little below one
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (chances_[i] == 0) continue;
    last = i;
    uniform -= chances_[i];
    if (uniform < 0) break;
  }
  return last;
}

template bool Categorical::set(std::span<const float>, std::span<const std::uint8_t>);
template bool Categorical::set(std::span<const double>, std::span<const std::uint8_t>);

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
