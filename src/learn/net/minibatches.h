#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"

namespace penstock {

/// How often samples are gone through, and how many at a time.
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
