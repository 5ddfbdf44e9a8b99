#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace penstock {

/// A sorted map whose every subtree carries a summary of its values, so that "the
/// first entry such that …" is found in logarithmic time. `Summary` is a monoid:
///   Summary{}                        of nothing
///   static Summary of(Key, Value)    of one entry
///   static Summary join(a, b)        of a's entries followed by b's
/// A treap whose priorities are hashed from a counter: the same operations always
/// build the same tree.
template <class Key, class Value, class Summary>
class OrderedTree {
 public:
  struct Entry {
    Key key{};
    Value value{};
  };

  bool empty() const { return root_ == kNone; }
  std::size_t size() const { return size_; }
  Summary summary() const { return summary_of(root_); }

  /// `key` must not be there yet.
  void insert(const Key& key, const Value& value) {
    const std::uint32_t added = make(key, value);
    root_ = insert_at(root_, added);
    ++size_;
  }

  /// `key` must be there.
  void erase(const Key& key) {
    root_ = erase_at(root_, key);
    --size_;
  }

  const Value* find(const Key& key) const {
    std::uint32_t at = root_;
    while (at != kNone && nodes_[at].entry.key != key)
      at = key < nodes_[at].entry.key ? nodes_[at].left : nodes_[at].right;
    return at == kNone ? nullptr : &nodes_[at].entry.value;
  }

  /// Replaces the value of a key that must be there.
  void assign(const Key& key, const Value& value) { assign_at(root_, key, value); }

  /// The entry with the least key, or null.
  const Entry* first() const {
    if (root_ == kNone) return nullptr;
    std::uint32_t at = root_;
    while (nodes_[at].left != kNone) at = nodes_[at].left;
    return &nodes_[at].entry;
  }
  /// The entry with the greatest key, or null.
  const Entry* last() const {
    if (root_ == kNone) return nullptr;
    std::uint32_t at = root_;
    while (nodes_[at].right != kNone) at = nodes_[at].right;
    return &nodes_[at].entry;
  }
  /// The entry with the greatest key below `key`, or null.
  const Entry* before(const Key& key) const {
    const Entry* found = nullptr;
    std::uint32_t at = root_;
    while (at != kNone) {
      const Node& node = nodes_[at];
      if (node.entry.key < key) found = &node.entry;
      at = node.entry.key < key ? node.right : node.left;
    }
    return found;
  }

  /// The joined summary of all entries with keys at most `key`.
  Summary up_to(const Key& key) const {
    Summary sum{};
    std::uint32_t at = root_;
    while (at != kNone) {
      const Node& node = nodes_[at];
      if (key < node.entry.key) {
        at = node.left;
        continue;
      }
      sum = Summary::join(Summary::join(sum, summary_of(node.left)), of(node.entry));
      at = node.right;
    }
    return sum;
  }

  /// The first entry with a key above `after` (any, if null) that passes. `holds`
  /// is asked about a run of entries: holds(summary of all entries before the run,
  /// summary of the run) must be true exactly if one of the run passes.
  template <class Holds>
  const Entry* first_that(const Key* after, const Holds& holds) const {
    Summary before{};
    return search(root_, after, before, holds);
  }

  /// Visits entries from the root; `visit(entry, left summary, right summary)` says
  /// where to go on: bit 0 left, bit 1 right. For searches by bound.
  template <class Visit>
  void descend(const Visit& visit) const {
    descend_at(root_, visit);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Node {
    Entry entry{};
    Summary summary{};
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    std::uint32_t priority = 0;
  };

  static Summary of(const Entry& entry) { return Summary::of(entry.key, entry.value); }
  Summary summary_of(std::uint32_t at) const {
    return at == kNone ? Summary{} : nodes_[at].summary;
  }

  std::uint32_t make(const Key& key, const Value& value) {
    std::uint64_t z = ++counter_ * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    const Node node{.entry = {key, value},
                    .summary = Summary::of(key, value),
                    .priority = static_cast<std::uint32_t>(z >> 32)};
    if (free_.empty()) {
      nodes_.push_back(node);
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    nodes_[at] = node;
    return at;
  }

  void refresh(std::uint32_t at) {
    Node& node = nodes_[at];
    node.summary = of(node.entry);
    if (node.left != kNone) node.summary = Summary::join(nodes_[node.left].summary, node.summary);
    if (node.right != kNone) node.summary = Summary::join(node.summary, nodes_[node.right].summary);
  }

  std::uint32_t insert_at(std::uint32_t at, std::uint32_t added) {
    if (at == kNone) return added;
    if (nodes_[added].priority > nodes_[at].priority) {
      const auto [left, right] = split(at, nodes_[added].entry.key);
      nodes_[added].left = left;
      nodes_[added].right = right;
      refresh(added);
      return added;
    }
    const bool go_left = nodes_[added].entry.key < nodes_[at].entry.key;
    PENSTOCK_CHECK(go_left || nodes_[at].entry.key != nodes_[added].entry.key);
    if (go_left)
      nodes_[at].left = insert_at(nodes_[at].left, added);
    else
      nodes_[at].right = insert_at(nodes_[at].right, added);
    refresh(at);
    return at;
  }

  std::uint32_t erase_at(std::uint32_t at, const Key& key) {
    PENSTOCK_CHECK(at != kNone);
    if (nodes_[at].entry.key == key) {
      free_.push_back(at);
      return merge(nodes_[at].left, nodes_[at].right);
    }
    if (key < nodes_[at].entry.key)
      nodes_[at].left = erase_at(nodes_[at].left, key);
    else
      nodes_[at].right = erase_at(nodes_[at].right, key);
    refresh(at);
    return at;
  }

  void assign_at(std::uint32_t at, const Key& key, const Value& value) {
    PENSTOCK_CHECK(at != kNone);
    Node& node = nodes_[at];
    if (node.entry.key == key)
      node.entry.value = value;
    else
      assign_at(key < node.entry.key ? node.left : node.right, key, value);
    refresh(at);
  }

  /// Keys below `key`, and the rest.
  std::pair<std::uint32_t, std::uint32_t> split(std::uint32_t at, const Key& key) {
    if (at == kNone) return {kNone, kNone};
    if (nodes_[at].entry.key < key) {
      const auto [low, high] = split(nodes_[at].right, key);
      nodes_[at].right = low;
      refresh(at);
      return {at, high};
    }
    const auto [low, high] = split(nodes_[at].left, key);
    nodes_[at].left = high;
    refresh(at);
    return {low, at};
  }

  std::uint32_t merge(std::uint32_t low, std::uint32_t high) {
    if (low == kNone) return high;
    if (high == kNone) return low;
    if (nodes_[low].priority > nodes_[high].priority) {
      nodes_[low].right = merge(nodes_[low].right, high);
      refresh(low);
      return low;
    }
    nodes_[high].left = merge(low, nodes_[high].left);
    refresh(high);
    return high;
  }

  /// Joins all it passes by without success to `before`.
  template <class Holds>
  const Entry* search(std::uint32_t at, const Key* after, Summary& before,
                      const Holds& holds) const {
    if (at == kNone) return nullptr;
    const Node& node = nodes_[at];
    if (after != nullptr && !(*after < node.entry.key)) {
      before = Summary::join(Summary::join(before, summary_of(node.left)), of(node.entry));
      return search(node.right, after, before, holds);
    }
    if (after == nullptr && !holds(before, node.summary)) {
      before = Summary::join(before, node.summary);
      return nullptr;
    }
    if (const Entry* found = search(node.left, after, before, holds)) return found;
    const Summary own = of(node.entry);
    if (holds(before, own)) return &node.entry;
    before = Summary::join(before, own);
    return search(node.right, nullptr, before, holds);
  }

  template <class Visit>
  void descend_at(std::uint32_t at, const Visit& visit) const {
    if (at == kNone) return;
    const Node& node = nodes_[at];
    const unsigned where = visit(node.entry, summary_of(node.left), summary_of(node.right));
    if ((where & 1u) != 0) descend_at(node.left, visit);
    if ((where & 2u) != 0) descend_at(node.right, visit);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint32_t root_ = kNone;
  std::size_t size_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace penstock
