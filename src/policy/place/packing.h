#pragma once

#include <cstdint>
#include <functional>
#include <limits>
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
  /// The GPUs that a job holds; null if none. Valid until the job gives them back.
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

/// A plan to move jobs, worked out on a copy of a packing. Ranges of GPUs are reserved,
/// which displaces the jobs on them; the displaced are settled elsewhere, the largest first,
/// where GPUs are free or else on a further reserved block, which displaces smaller ones.
/// No job is displaced twice, since nothing is ever settled where it could be again.
class Rearrangement {
 public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  struct Block {
    GpuRange gpus{};
    double cost = 0;  ///< of moving the jobs on it, not of those they may displace
  };
  struct Limits {
    double cost = kNoLimit;  ///< of all moves; it must stay below
    bool displace = true;    ///< whether settling a job may displace smaller ones
  };

  /// Both must outlive it, the packing unchanged.
  Rearrangement(const Packing& packing, const MoveCost& cost);

  std::uint32_t free() const { return pool_.free(); }
  /// What moving all jobs on these GPUs of one node costs; nothing if one of them is of `below`
  /// GPUs or more or must stay, or if some of the GPUs are reserved.
  std::optional<double> cost_of(const GpuRange& gpus, std::uint32_t below) const;
  /// The cheapest blocks for a job of this size to empty, at most `count`, in order of cost.
  std::vector<Block> cheapest_blocks(std::uint32_t gpus, std::size_t count) const;

  void reserve(const GpuRange& gpus);
  /// Finds a place for every displaced job, or returns false half-way.
  bool settle(const Limits& limits);

  /// A stage of the plan to which it can be set back.
  struct Stage {
    std::size_t taken = 0;
    std::size_t displaced = 0;
    std::size_t moves = 0;
    double cost = 0;
  };
  Stage stage() const { return {taken_.size(), displaced_.size(), moves_.size(), cost_}; }
  void back_to(const Stage& stage);

  double cost() const { return cost_; }  ///< of moving all that have been displaced
  /// In an order in which every target is free when its turn comes: who needs the place
  /// of others comes after them.
  std::vector<Move> moves() const { return {moves_.rbegin(), moves_.rend()}; }

 private:
  static constexpr std::uint32_t kNobody = Packing::kNobody;
  static constexpr std::uint32_t kReserved = kNobody - 1;

  void mark(const Placement& where, std::uint32_t holder);
  void take(Placement where);
  void displace(JobId job);
  const Packing::Held& held(std::uint32_t job) const { return packing_->held_.at(job); }
  /// The blocks of a node that a job of this size could be given, if their jobs moved.
  void add_blocks(const Node& node, std::uint32_t gpus, std::vector<Block>& found) const;
  /// The cheapest such block of the nodes that are not full: emptying others would only pass
  /// the shortage on.
  std::optional<Block> cheapest_partly_free(std::uint32_t gpus) const;
  std::optional<Placement> settle_one(JobId job, bool displace);

  const Packing* packing_;
  const MoveCost* cost_of_;
  Pool pool_;
  std::vector<std::uint32_t> holder_;  ///< as in Packing, or kReserved
  std::vector<Placement> taken_;       ///< was free: reserved, or the target of a move
  std::vector<JobId> displaced_;
  std::vector<JobId> unsettled_;
  std::vector<Move> moves_;
  double cost_ = 0;
};

}  // namespace penstock
