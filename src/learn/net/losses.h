#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// Chances of the items of one window: the softmax of their logits over those that may be chosen.
/// A barred item's probability is exactly 0. Keeps its memory between windows.
class Categorical {
 public:
  /// At least one item must not be barred; `barred` may be empty. False if a logit that counts is
  /// not a number, or infinite: then nothing else may be asked.
  template <class T>
  bool set(std::span<const T> logits, std::span<const std::uint8_t> barred = {});

  std::size_t size() const { return chances_.size(); }
  double probability(std::size_t item) const { return chances_[item]; }
  /// Minus infinity for a barred item.
  double log_probability(std::size_t item) const { return logs_[item]; }
  /// In nats.
  double entropy() const;
  /// Kullback-Leibler divergence of `other` from this, in nats; both have the same items.
  double divergence(const Categorical& other) const;

  /// The likeliest item; of equals, the first.
  std::uint32_t best() const;
  /// The item that a number in [0, 1) chooses. Never a barred one.
  std::uint32_t at(double uniform) const;

 private:
  std::vector<double> chances_;
  std::vector<double> logs_;
};

/// What was done in a window, and how much better it was than expected.
struct PolicySample {
  std::uint32_t action = 0;
  double log_probability = 0;  ///< when it was done
  double advantage = 0;
};

struct PolicyAims {
  double clip = 0.2;
  double entropy = 0;  ///< bonus per nat
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
