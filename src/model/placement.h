#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace penstock {

/// `count` consecutive GPUs of one node.
struct GpuRange {
  GpuId first{};
  std::uint32_t count = 0;
  friend bool operator==(const GpuRange&, const GpuRange&) = default;
};

/// The GPUs one job runs on: ranges in increasing order, none crossing a node.
using Placement = std::vector<GpuRange>;

inline std::uint32_t gpu_count(const Placement& where) {
  std::uint32_t count = 0;
  for (const GpuRange& range : where) count += range.count;
  return count;
}

/// A set of GPUs that answers questions about ranges a word at a time.
class GpuSet {
 public:
  explicit GpuSet(std::uint32_t size) : words_((size + 63) / 64, 0) {}

  bool contains(GpuId gpu) const { return (words_[gpu.index / 64] >> (gpu.index % 64) & 1) != 0; }
  bool contains_all(const GpuRange& range) const {
    bool all = true;
    each_word(range,
              [&](std::size_t i, std::uint64_t mask) { all = all && (words_[i] & mask) == mask; });
    return all;
  }
  bool contains_none(const GpuRange& range) const { return count(range) == 0; }
  std::uint32_t count(const GpuRange& range) const {
    int sum = 0;
    each_word(range,
              [&](std::size_t i, std::uint64_t mask) { sum += std::popcount(words_[i] & mask); });
    return static_cast<std::uint32_t>(sum);
  }
  void insert(const GpuRange& range) {
    each_word(range, [&](std::size_t i, std::uint64_t mask) { words_[i] |= mask; });
  }
  void erase(const GpuRange& range) {
    each_word(range, [&](std::size_t i, std::uint64_t mask) { words_[i] &= ~mask; });
  }

  /// Appends to `where` the lowest `count` members within `range`, as few ranges
  /// as they form. There must be that many.
  void lowest(const GpuRange& range, std::uint32_t count, Placement& where) const {
    for (std::uint32_t i = range.first.index; count > 0; ++i) {
      if (!contains(GpuId{i})) continue;
      const bool extends = !where.empty() && where.back().first.index + where.back().count == i &&
                           where.back().first.index >= range.first.index;
      if (extends)
        ++where.back().count;
      else
        where.push_back({GpuId{i}, 1});
      --count;
    }
  }

 private:
  template <class F>
  static void each_word(const GpuRange& range, F&& visit) {
    std::uint32_t at = range.first.index;
    const std::uint32_t end = at + range.count;
    while (at < end) {
      const std::uint32_t bit = at % 64;
      const std::uint32_t take = std::min(64 - bit, end - at);
      const std::uint64_t ones = take == 64 ? ~0ull : (1ull << take) - 1;
      visit(at / 64, ones << bit);
      at += take;
    }
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace penstock
