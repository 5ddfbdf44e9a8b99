#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/place/node_set.h"

namespace penstock {

/// Nodes in order of a small key (such as how many of their GPUs are free), those of
/// the same key in order of number.
class NodeShelves {
 public:
  explicit NodeShelves(std::uint32_t largest_key = 0, std::uint32_t nodes = 0)
      : shelves_(largest_key + 1, NodeSet(nodes)), filled_(largest_key + 1) {}

  void insert(std::uint32_t key, std::uint32_t node) {
    shelves_[key].insert(node);
    filled_.insert(key);
  }
  void erase(std::uint32_t key, std::uint32_t node) {
    shelves_[key].erase(node);
    if (!shelves_[key].first()) filled_.erase(key);
  }
  /// The least node of the least key that is not below `from`.
  std::optional<std::uint32_t> first(std::uint32_t from = 0) const {
    const auto key = filled_.first(from);
    return key ? shelves_[*key].first() : std::nullopt;
  }
  /// The least key not below `from` that some node has.
  std::optional<std::uint32_t> key(std::uint32_t from) const { return filled_.first(from); }
  const NodeSet& of(std::uint32_t key) const { return shelves_[key]; }

 private:
  std::vector<NodeSet> shelves_;  ///< indexed by key
  NodeSet filled_;                ///< keys that some node has
};

}  // namespace penstock
