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

}  // namespace penstock
