#pragma once

#include <cstddef>

namespace penstock {

/// How many rows a page may have, so that a browser can hold it. Beyond that it is thinned, and
/// says so.
struct PageLimits {
  std::size_t jobs = 4'000'000;       ///< over all runs
  std::size_t stretches = 2'000'000;  ///< over all runs
  std::size_t samples = 2'000;        ///< of one site in one run
  std::size_t all_samples = 400'000;  ///< over all sites and runs
  std::size_t reasons = 20'000;       ///< of one run
};

}  // namespace penstock
