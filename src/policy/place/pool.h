#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster.h"
#include "model/gpu_set.h"
#include "model/placement.h"
#include "policy/place/node_set.h"

namespace penstock {

/// How a job's GPUs are chosen among the free ones.
enum class PlaceRule : std::uint8_t {
  first_fit,    ///< the lowest-numbered free GPUs, wherever they are
  best_fit,     ///< the node it fills best; over several nodes only if none holds it
  consolidate,  ///< as few nodes as its size allows, in one rack if possible; else it waits
  buddy,        ///< the same, in aligned power-of-two blocks that never cross a node
};

std::optional<PlaceRule> place_rule_named(std::string_view name);

/// True if a job may have to wait although enough GPUs are free.
constexpr bool can_be_fragmented(PlaceRule rule) {
  return rule == PlaceRule::consolidate || rule == PlaceRule::buddy;
}

/// The GPUs of one type at one site: which are free, indexed so that choosing
/// some does not depend on how many there are; only a job of several whole nodes
/// looks at all nodes that are wholly free.
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

  /// Where a job of this size would go now, or nothing if it has to wait.
  std::optional<Placement> place(std::uint32_t gpus) const;

  void take(const Placement& where);
  void give(const Placement& where);
  /// All GPUs of the node must be free (up), or it must be down (down).
  void node_down(NodeId node);
  void node_up(NodeId node);
  /// Keeps a node out of place() until it is opened again; nothing may be taken or
  /// given there meanwhile.
  void close(NodeId node);
  void open(NodeId node);

 private:
  static constexpr std::uint32_t kElsewhere = ~0u;
  struct Member {
    NodeId id{};
    GpuRange gpus{};
    RackId rack{};
    std::uint32_t free = 0;
    std::uint64_t blocks = 0;  ///< bit k: has a maximal free block of 2^k GPUs
    bool up = true;
  };

  struct Piece {
    std::uint32_t member = 0;
    std::uint32_t gpus = 0;
  };

  std::optional<Placement> spread_lowest(std::uint32_t gpus) const;
  std::optional<Placement> one_node(std::uint32_t gpus) const;
  std::optional<Placement> one_block(std::uint32_t gpus) const;
  std::optional<Placement> fewest_nodes(std::uint32_t gpus) const;
  std::optional<Placement> spread_fullest(std::uint32_t gpus) const;
  /// Wholly free nodes for a job of several, all in `rack` if given.
  std::optional<Placement> whole_nodes(std::uint32_t gpus, std::optional<RackId> rack) const;
  /// Wholly free members, in `rack` if given, the largest first.
  std::vector<std::uint32_t> whole_members(std::optional<RackId> rack) const;
  std::optional<RackId> tightest_rack(std::uint32_t gpus) const;
  /// The member with the fewest free GPUs that are enough and fewer than `below`, other
  /// than those of which a piece is taken.
  std::optional<std::uint32_t> smallest_holding(std::uint32_t gpus, std::uint32_t below,
                                                const std::vector<Piece>& taken) const;
  Placement assemble(std::vector<Piece> pieces) const;
  bool wholly_free(const Member& member) const {
    return member.up && member.free == member.gpus.count;
  }

  void unindex(std::uint32_t local);
  void index(std::uint32_t local);
  std::uint64_t maximal_blocks(const Member& member) const;
  GpuId block_start(const Member& member, unsigned order) const;
  /// The lowest maximal free block of 2^order GPUs in a node.
  std::optional<GpuId> find_block(const Member& member, unsigned order) const;

  const Cluster* cluster_;
  SiteId site_;
  GpuTypeId type_;
  PlaceRule rule_;
  std::uint32_t total_ = 0;
  std::uint32_t free_count_ = 0;
  std::uint32_t largest_node_ = 0;
  GpuSet free_;
  std::vector<Member> members_;
  std::vector<std::uint32_t> local_;  ///< indexed by NodeId: place in members_, or kElsewhere
  std::vector<NodeSet> by_free_;      ///< indexed by free GPUs: members that have that many
  NodeSet some_free_;
  NodeSet whole_;  ///< members whose every GPU is free
  std::uint32_t whole_gpus_ = 0;
  std::vector<std::uint32_t> whole_in_rack_;  ///< indexed by RackId: GPUs of wholly free members
  std::vector<NodeSet> by_block_;  ///< indexed by order: members with such a maximal free block
};

/// One pool for each type at each site, in the order of sites and then types.
std::vector<Pool> make_pools(const Cluster& cluster, PlaceRule rule);

}  // namespace penstock
