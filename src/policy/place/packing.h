#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/paged_table.h"
#include "model/cluster.h"
#include "model/placement.h"
#include "policy/place/pool.h"

namespace penstock {

/// A job that holds GPUs goes to others.
struct Move {
  JobId job{};
  Placement to{};
};

class Rearrangement;

/// What moving a job costs, in any unit; never negative, infinite if it must stay.
using MoveCost = std::function<double(JobId)>;

/// Which job is on which GPUs of one pool, for policies that change jobs while they run:
/// buddy blocks, packed so that whole nodes stay idle, and the moves that undo
/// fragmentation. A job no larger than a node never spans nodes; a larger one gets whole
/// nodes under as few switches as possible (see Pool::place).
class Packing {
 public:
  /// `cluster` must outlive it; all nodes are up and awake, and all GPUs free.
  Packing(const Cluster& cluster, SiteId site, GpuTypeId type);

  const Pool& pool() const { return pool_; }
  std::uint32_t capacity() const { return capacity_; }  ///< GPUs of nodes that are up
  std::uint32_t free() const { return pool_.free(); }   ///< of those, held by nobody
  /// What a job holds; null if nothing. Valid until the job gives it back.
  const Placement* of(JobId job) const;
  std::optional<JobId> holder(GpuId gpu) const;

  /// Where a job of this size, at least 1, would go now.
  std::optional<Placement> place(std::uint32_t gpus) const { return pool_.place(gpus); }
  /// Where a job would go if it had `gpus` instead of what it holds, which counts as free. It
  /// keeps its place, or part of it, if that is as good: fewer GPUs are a part of those it
  /// has, more are the free block around them, and the same number is what it has.
  std::optional<Placement> place_instead(JobId job, std::uint32_t gpus) const;

  /// The GPUs must be free, and the job must hold none.
  void take(JobId job, Placement where);
  void give(JobId job);
  /// Nothing may be held on the node (down), or it must be down (up).
  void node_down(NodeId node);
  void node_up(NodeId node);
  void set_asleep(NodeId node, bool asleep) { pool_.set_asleep(node, asleep); }

  /// Moves after which a job of this size can be placed, of small total cost, in an order
  /// in which the target of each is free when its turn comes; no job moves twice. None if one
  /// can be placed already; nothing if too few GPUs are free or no moves were found.
  ///
  /// A block is emptied by moving jobs smaller than the request out of it; whole nodes by
  /// moving jobs that are smaller than their node. These may in turn displace still smaller
  /// ones. This always succeeds if enough GPUs are free, all nodes that are up have the same
  /// size, that size and those of all jobs and of the request are powers of two, every job is
  /// where place() or place_instead() put it, and no cost is infinite.
  std::optional<std::vector<Move>> make_room(std::uint32_t gpus, const MoveCost& cost) const;

  /// Moves that empty nodes in use by filling up others in use, so that they can sleep: each
  /// node whose moves cost less than `worth` of it, those that gain most for each GPU moved
  /// first. In order, as above.
  std::vector<Move> empty_nodes(const MoveCost& cost,
                                const std::function<double(NodeId)>& worth) const;

 private:
  friend class Rearrangement;
  static constexpr std::uint32_t kNobody = ~0u;
  struct Held {
    Placement where{};
    std::uint32_t gpus = 0;
  };

  void mark(const Placement& where, std::uint32_t holder);
  bool is_idle(NodeId node) const { return pool_.free_on(node) == cluster_->node(node).gpus; }
  std::optional<std::vector<Move>> empty_whole_nodes(Rearrangement& plan, std::uint32_t gpus) const;
  struct Candidate {
    NodeId node{};
    double rank = 0;  ///< the least first
  };
  /// Nodes in use that are worth more than moving their jobs costs, the best first.
  std::vector<Candidate> worth_emptying(const Rearrangement& plan,
                                        const std::function<double(NodeId)>& worth) const;

  const Cluster* cluster_;
  Pool pool_;
  std::vector<NodeId> nodes_;  ///< of the pool
  std::uint32_t capacity_;
  PagedTable<Held> held_;              ///< indexed by JobId
  std::vector<std::uint32_t> holder_;  ///< indexed by GpuId: a job's index, or kNobody
};

}  // namespace penstock
