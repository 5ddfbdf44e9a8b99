#pragma once

#include <optional>
#include <vector>

#include "policies/andreas/execute_plan.h"
#include "policies/andreas/instance.h"

namespace penstock {

/// What was decided about waiting for cheaper power.
struct WaitingPlan {
  std::vector<HeldJob> jobs{};
  std::optional<Time> again{};  ///< when one of them, or of those that run, should change
};

/// How much work comes: the part of all GPUs that it needs, averaged over about a day. Work counts
/// in the way that takes least GPU time. At first a third is assumed.
class ArrivingLoad {
 public:
  /// Counts the jobs of the instance that were submitted since the last call.
  void count(const View& view, const Instance& instance);
  double part() const { return part_; }

 private:
  static constexpr double kMemory = 86'400;  ///< seconds
  static constexpr double kAssumed = 0.3;

  std::optional<Time> last_{};
  double work_ = 0;  ///< slice-seconds, faded
  double part_ = kAssumed;
};

/// Takes those jobs out of the instance that should wait for cheaper power, and sets the worth of
/// those that could have waited. Nobody waits where prices are as good as flat, or without a
/// deadline, or if he could be late by it.
WaitingPlan hold_back(const View& view, const InstanceSpec& spec, const ArrivingLoad& load,
                      Instance& instance);

}  // namespace penstock
