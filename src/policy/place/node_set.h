#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace penstock {

/// A set of small numbers that finds its least member by looking at two words
/// per 4096 of them.
class NodeSet {
 public:
  explicit NodeSet(std::uint32_t size = 0)
      : words_((size + 63) / 64, 0), some_((words_.size() + 63) / 64, 0) {}

  bool contains(std::uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void insert(std::uint32_t i) {
    words_[i / 64] |= 1ull << (i % 64);
    some_[i / 4096] |= 1ull << (i / 64 % 64);
  }
  void erase(std::uint32_t i) {
    words_[i / 64] &= ~(1ull << (i % 64));
    if (words_[i / 64] == 0) some_[i / 4096] &= ~(1ull << (i / 64 % 64));
  }
  /// The least member not below `from`.
  std::optional<std::uint32_t> first(std::uint32_t from = 0) const {
    const std::uint32_t word = from / 64;
    if (word >= words_.size()) return std::nullopt;
    if (const std::uint64_t rest = words_[word] & (~0ull << (from % 64)); rest != 0)
      return word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
    return first_of_words(word + 1);
  }

 private:
  std::optional<std::uint32_t> first_of_words(std::uint32_t word) const {
    for (std::uint32_t i = word / 64; i < some_.size(); ++i) {
      std::uint64_t rest = some_[i];
      if (i == word / 64) rest &= ~0ull << (word % 64);
      if (rest == 0) continue;
      const std::uint32_t found = i * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
      return found * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[found]));
    }
    return std::nullopt;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> some_;  ///< bit i: words_[i] is not zero
};

}  // namespace penstock
