#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

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

/// Nodes in order of a small key (such as how many of their GPUs are free), those of
/// the same key in order of number.
class NodeBuckets {
 public:
  explicit NodeBuckets(std::uint32_t largest_key = 0, std::uint32_t nodes = 0)
      : buckets_(largest_key + 1, NodeSet(nodes)), filled_(largest_key + 1) {}

  void insert(std::uint32_t key, std::uint32_t node) {
    buckets_[key].insert(node);
    filled_.insert(key);
  }
  void erase(std::uint32_t key, std::uint32_t node) {
    buckets_[key].erase(node);
    if (!buckets_[key].first()) filled_.erase(key);
  }
  /// The least node of the least key that is not below `from`.
  std::optional<std::uint32_t> first(std::uint32_t from = 0) const {
    const auto key = filled_.first(from);
    return key ? buckets_[*key].first() : std::nullopt;
  }
  /// The least key not below `from` that some node has.
  std::optional<std::uint32_t> key(std::uint32_t from) const { return filled_.first(from); }
  const NodeSet& of(std::uint32_t key) const { return buckets_[key]; }

 private:
  std::vector<NodeSet> buckets_;  ///< indexed by key
  NodeSet filled_;                ///< keys that some node has
};

/// So many GPUs of one node of a pool.
struct Piece {
  std::uint32_t node = 0;
  std::uint32_t gpus = 0;
};

/// The nodes of a pool on which nothing runs, awake or asleep, by switch. Choosing some
/// looks at every switch and at the chosen nodes, not at all nodes.
class IdleNodes {
 public:
  struct Shape {
    RackId rack{};
    std::uint32_t gpus = 0;
  };

  IdleNodes() = default;
  /// The shapes of all nodes of the pool, of which none is idle yet and all are awake.
  explicit IdleNodes(std::vector<Shape> nodes);

  void insert(std::uint32_t node);
  void erase(std::uint32_t node);
  bool contains(std::uint32_t node) const { return idle_.contains(node); }
  void set_asleep(std::uint32_t node, bool asleep);
  bool is_asleep(std::uint32_t node) const { return asleep_.contains(node); }

  std::uint32_t gpus() const { return gpus_; }
  /// The smallest node that has so many GPUs: one that is awake if any is.
  std::optional<std::uint32_t> smallest(std::uint32_t gpus) const;

  /// Nodes for a job of several: the fewest, under the fewest switches; then those most of
  /// which are in `kept`, the fewest of which must be woken, and under the switch with the
  /// least room. Nodes in `kept`, in increasing order, count as idle although they are not.
  /// If one switch holds all, so does the answer, and its last node may be larger than
  /// needed; else every node is filled, and less than the next would hold may be missing.
  std::vector<Piece> whole(std::uint32_t gpus, std::span<const std::uint32_t> kept) const;
  /// The smallest node, not in `taken`, for the GPUs missing there.
  std::optional<std::uint32_t> left_over(std::uint32_t gpus, std::span<const Piece> taken,
                                         std::span<const std::uint32_t> kept) const;

 private:
  /// Consecutive nodes of one size under one switch.
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t awake = 0;  ///< of its nodes, idle and awake
    std::uint32_t asleep = 0;
  };
  /// What a run has for one job.
  struct Offer {
    std::uint32_t run = 0;
    std::uint32_t size = 0;  ///< of each node
    std::uint32_t awake = 0;
    std::uint32_t asleep = 0;
    std::span<const std::uint32_t> kept{};
    std::uint32_t nodes() const { return awake + asleep + static_cast<std::uint32_t>(kept.size()); }
  };

  void count(std::uint32_t node, std::uint32_t by);
  std::vector<Offer> offers(std::span<const std::uint32_t> kept) const;
  void take(const Offer& offer, std::uint32_t gpus, std::vector<Piece>& pieces) const;
  static const Offer* tightest(std::span<const Offer> offers, std::uint32_t nodes);
  void spread(std::span<const Offer> same_size, std::uint32_t nodes,
              std::vector<Piece>& pieces) const;

  std::vector<Shape> shapes_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> run_of_;  ///< indexed by node
  NodeSet idle_;
  NodeSet asleep_;             ///< idle or not
  NodeBuckets awake_by_size_;  ///< idle and awake
  NodeBuckets asleep_by_size_;
  std::uint32_t gpus_ = 0;
};

}  // namespace penstock
