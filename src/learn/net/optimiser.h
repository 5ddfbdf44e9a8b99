#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"

namespace penstock {

/// Adam: gradient descent with an adaptive step for each parameter (Kingma and Ba, arXiv
/// 1412.6980).
class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters, 0), square_(parameters, 0) {}

  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

  /// Its whole state, to be saved and restored.
  struct Memory {
    std::span<float> mean{};
    std::span<float> square{};
    std::uint64_t& steps;
  };
  Memory memory() { return {mean_, square_, steps_}; }
  std::span<const float> mean() const { return mean_; }
  std::span<const float> square() const { return square_; }
  std::uint64_t steps() const { return steps_; }

 private:
  std::vector<float> mean_;
  std::vector<float> square_;
  std::uint64_t steps_ = 0;
};

/// Scales a gradient down to a length of `most` if it is longer; 0 means any length. Returns how
/// long it was.
double clip_length(std::span<float> gradient, double most);

/// The number of passes over samples, and how many are used at a time.
struct Passes {
  std::size_t samples = 0;
  std::uint32_t minibatch = 0;  ///< 0: all
  std::uint32_t iterations = 1;
};

/// Calls `step(numbers of samples)`, a Result<bool>, for one minibatch after another, in a new
/// order in every pass, until it returns false or an error. All at once are in their own order.
template <class Step>
Result<Done> for_each_minibatch(const Passes& passes, Rng& rng, Step step) {
  std::vector<std::uint32_t> order(passes.samples);
  std::iota(order.begin(), order.end(), 0u);
  const bool whole = passes.minibatch == 0 || passes.minibatch >= passes.samples;
  const std::size_t size = whole ? std::max<std::size_t>(1, passes.samples) : passes.minibatch;
  for (std::uint32_t pass = 0; pass < passes.iterations; ++pass) {
    for (std::size_t i = order.size(); !whole && i > 1; --i)
      std::swap(order[i - 1], order[rng.below(i)]);
    for (std::size_t first = 0; first < order.size(); first += size) {
      const std::size_t count = std::min(size, order.size() - first);
      const auto going = step(std::span<const std::uint32_t>(order).subspan(first, count));
      if (!going) return going.error();
      if (!*going) return Done{};
    }
  }
  return Done{};
}

}  // namespace penstock
