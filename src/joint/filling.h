#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// How full the nodes of a plan are, and which of them a job fits best.
class Filling {
 public:
  /// Nothing is used. `problem` must outlive it.
  explicit Filling(const JointProblem& problem);

  void clear();
  void take(std::uint32_t node, std::uint32_t slices);
  void give(std::uint32_t node, std::uint32_t slices);

  std::uint32_t used(std::uint32_t node) const { return used_[node]; }
  std::uint32_t free(std::uint32_t node) const { return capacity_[node] - used_[node]; }
  std::uint64_t free() const { return free_; }

  /// The `rank`-th best node for so many slices of a type: nodes in use before others, of those
  /// the one that has least left over, of unused ones the largest. The last one if there are
  /// fewer; nothing if none has room.
  std::optional<std::uint32_t> best_fit(std::uint32_t type, std::uint32_t slices,
                                        std::uint32_t rank = 0) const;
  /// Nodes that have room for so many slices of a type, counted up to `most`.
  std::uint32_t fits(std::uint32_t type, std::uint32_t slices, std::uint32_t most) const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  /// Nodes of one type with the same number of free slices, in use or not: a linked list.
  std::uint32_t& shelf(std::uint32_t node);
  void link(std::uint32_t node);
  void unlink(std::uint32_t node);
  template <class Visit>
  void visit(std::uint32_t type, std::uint32_t slices, Visit visit) const;

  const JointProblem& problem_;
  std::uint32_t levels_ = 0;  ///< largest capacity of a node, and one
  std::vector<std::uint32_t> capacity_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> in_use_;  ///< first node by type, then free slices
  std::vector<std::uint32_t> unused_;
  std::uint64_t free_ = 0;
};

}  // namespace penstock
