#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policy/place/packing.h"

namespace penstock {

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
