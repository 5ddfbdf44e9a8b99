#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/cluster.h"
#include "model/placement.h"
#include "policy/place/idle_nodes.h"

namespace penstock {

/// How a job's GPUs are chosen among the free ones.
enum class PlaceRule : std::uint8_t {
  first_fit,    ///< the lowest-numbered free GPUs, wherever they are
  best_fit,     ///< the node it fills best; over several nodes only if none holds it
  consolidate,  ///< as few nodes as its size allows, in one rack if possible; else it waits
  buddy,        ///< the same, in aligned power-of-two blocks that never cross a node
};

std::optional<PlaceRule> place_rule_named(std::string_view name);

/// The GPUs of one type at one site: which are free, indexed so that choosing
/// some does not depend on how many there are; only a job of several whole nodes
/// looks at all switches and at as many nodes as it gets.
class Pool {
 public:
  /// `cluster` must outlive the pool; all its nodes of `type` at `site` are free.
  Pool(const Cluster& cluster, SiteId site, GpuTypeId type, PlaceRule rule);

  SiteId site() const { return site_; }
  GpuTypeId type() const { return type_; }
  std::uint32_t total() const { return total_; }  ///< free or not, up or down
  std::uint32_t free() const { return free_count_; }
  bool holds(NodeId node) const { return local_[node.index] != kElsewhere; }

  std::uint32_t largest_node() const { return largest_node_; }

  bool is_up(NodeId node) const { return members_[local_[node.index]].up; }
  std::uint32_t free_on(NodeId node) const { return members_[local_[node.index]].free; }

  /// Where a job of this size, at least 1, would go now, or nothing if it has to wait. Under
  /// `buddy`, a job no larger than the largest node splits the smallest free block that holds
  /// it, on nodes that are in use if any has one, else on an idle node that is awake, else on
  /// one that sleeps; among equal blocks, that of the node with the fewest free GPUs.
  std::optional<Placement> place(std::uint32_t gpus) const;
  /// Where a job of this size would go that gives `own` back at once and, all else being equal,
  /// stays where it is: it shrinks to a part of its place and grows into the free block around it.
  /// Only for `buddy`.
  std::optional<Placement> place_instead(const Placement& own, std::uint32_t gpus) const;

  void take(const Placement& where);
  void give(const Placement& where);
  /// All GPUs of the node must be free (up), or it must be down (down).
  void node_down(NodeId node);
  void node_up(NodeId node);
  /// Keeps a node out of place() until it is opened again; nothing may be taken or
  /// given there meanwhile.
  void close(NodeId node);
  void open(NodeId node);
  /// Idle nodes that are awake are preferred to those that sleep.
  void set_asleep(NodeId node, bool asleep);

 private:
  static constexpr std::uint32_t kElsewhere = ~0u;
  struct PoolNode {
    NodeId id{};
    GpuRange gpus{};
    RackId rack{};
    std::uint32_t free = 0;
    std::uint64_t blocks = 0;  ///< bit k: has a maximal free block of 2^k GPUs
    bool up = true;
  };

  std::optional<Placement> spread_lowest(std::uint32_t gpus) const;
  std::optional<Placement> one_node(std::uint32_t gpus) const;
  std::optional<Placement> one_block(std::uint32_t gpus) const;
  /// Idle nodes for a job of several; its last piece may go to a node in use. Members in
  /// `kept` count as idle.
  std::optional<Placement> fewest_nodes(std::uint32_t gpus,
                                        std::span<const std::uint32_t> kept) const;
  /// False only if fewest_nodes() finds nothing.
  bool may_hold(std::uint32_t gpus, std::span<const std::uint32_t> kept) const;
  std::optional<Placement> spread_fullest(std::uint32_t gpus) const;
  /// The member with the fewest free GPUs that are enough and fewer than `below`, other
  /// than those of which a piece is taken.
  std::optional<std::uint32_t> smallest_holding(std::uint32_t gpus, std::uint32_t below,
                                                const std::vector<Piece>& taken) const;
  /// The member in use whose block for a job of this size is the smallest.
  std::optional<std::uint32_t> partly_free_holding(std::uint32_t gpus) const;
  Placement assemble(std::vector<Piece> pieces, std::span<const std::uint32_t> kept) const;
  bool wholly_free(const PoolNode& member) const {
    return member.up && member.free == member.gpus.count;
  }

  std::vector<Piece> by_member(const Placement& where) const;
  /// The beginning of what a job has on one node: the smallest such piece that is enough.
  std::optional<Placement> part_of(const Placement& own, const std::vector<Piece>& pieces,
                                   std::uint32_t gpus) const;
  /// The block around a piece of `own`, if all else in it is free.
  std::optional<Placement> block_around(const Placement& own, const Piece& piece,
                                        std::uint32_t gpus) const;
  std::optional<Placement> several_instead(const Placement& own, const std::vector<Piece>& pieces,
                                           std::uint32_t gpus) const;
  std::uint32_t local_of(const GpuRange& range) const {
    return local_[cluster_->node_of[range.first.index].index];
  }

  void unindex(std::uint32_t local);
  void index(std::uint32_t local);
  std::uint64_t maximal_blocks(const PoolNode& member) const;
  /// Appends where a job goes on a member that holds it: its smallest block, or the
  /// lowest free GPUs if it needs more than the largest block of a node of odd size.
  void place_on(const PoolNode& member, std::uint32_t gpus, Placement& where) const;
  /// The lowest maximal free block of 2^order GPUs in a node.
  std::optional<GpuId> find_block(const PoolNode& member, unsigned order) const;

  const Cluster* cluster_;
  SiteId site_;
  GpuTypeId type_;
  PlaceRule rule_;
  std::uint32_t total_ = 0;
  std::uint32_t free_count_ = 0;
  std::uint32_t largest_node_ = 0;
  GpuSet free_;
  std::vector<PoolNode> members_;
  std::vector<std::uint32_t> local_;  ///< indexed by NodeId: place in members_, or kElsewhere
  NodeBuckets by_free_;               ///< members by how many of their GPUs are free
  NodeSet some_free_;
  IdleNodes idle_;                     ///< members whose every GPU is free
  std::vector<NodeBuckets> by_block_;  ///< indexed by order: members in use with such a maximal
                                       ///< free block, by how many of their GPUs are free
  NodeBuckets odd_by_free_;            ///< members in use whose size is no power of two
};

/// One pool for each type at each site, in the order of sites and then types.
std::vector<Pool> make_pools(const Cluster& cluster, PlaceRule rule);

}  // namespace penstock
