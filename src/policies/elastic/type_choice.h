#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/elastic/elastic_policy.h"
#include "policies/elastic/pool_curves.h"

namespace penstock {

/// Chooses the GPU types of jobs, within their site, as plan_by_value() divides the GPUs of one:
/// jobs bid with the value of their work for GPUs of all types on which they can run
/// (auction_gpus()). A running job moves if it gains although it restarts, and more than a little;
/// a rigid one, one that restores a checkpoint or that is of a kind not measured yet stays where it
/// runs.
class TypeChooser final : public PoolChooser {
 public:
  /// `price`: seconds of completion time that a joule is worth at least, PUE excluded.
  explicit TypeChooser(double price) : price_(price) {}

  /// Pools are added in their order. The number by which a pool notes its prices; its curves
  /// outlive all choices.
  std::size_t add_pool(PoolCurves& curves);
  /// The price of energy, in seconds for a joule of GPUs and nodes, by which a pool was planned.
  void note_price(std::size_t pool, double price) { pools_[pool].price = price; }

  std::vector<PoolChange> choose(std::span<const AllocationProblem> problems) override;

 private:
  struct PoolNotes {
    PoolCurves* curves = nullptr;
    double price = 0;  ///< of the last plan
  };
  double price_;
  std::vector<PoolNotes> pools_;
};

}  // namespace penstock
