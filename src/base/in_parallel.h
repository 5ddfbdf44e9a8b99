#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace penstock {

/// Calls `work(i)` once for every i below `count`, on up to `threads` threads including this one,
/// and returns when all calls have returned. Calls must not depend on each other: whichever thread
/// is free takes the next i.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(take);
  take();
}

}  // namespace penstock
