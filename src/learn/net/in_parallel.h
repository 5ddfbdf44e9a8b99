#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace penstock {

/// Calls `work(i)` for every i below `count`, on so many threads, each i on one.
template <class Work>
void in_parallel(std::size_t count, std::uint32_t threads, const Work& work) {
  const std::size_t workers = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, count));
  std::vector<std::jthread> others;
  const auto every = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += workers) work(i);
  };
  for (std::size_t t = 1; t < workers; ++t) others.emplace_back(every, t);
  every(0);
}

}  // namespace penstock
