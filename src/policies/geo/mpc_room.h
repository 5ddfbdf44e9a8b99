#pragma once

#include <span>
#include <vector>

#include "policies/geo/mpc_tariff.h"

namespace penstock {

/// A job whose files are on their way.
struct MpcComing {
  MpcDemand demand{};
  Time there{};
};

/// GPUs that are believed to be free at each site in each step ahead, less what is planned.
class MpcRoom {
 public:
  /// Reads what sites publish. Jobs that wait there are taken to fill the first free steps; those
  /// of `coming`, which sites count among them, have their GPUs from when their files are there.
  void refresh(const RouterView& view, const Steps& steps, std::span<const MpcComing> coming);

  std::size_t sites() const { return free_.size(); }
  std::size_t steps() const { return free_.empty() ? 0 : free_.front().size(); }
  double step_hours() const { return step_; }
  double free(std::size_t site, std::size_t step) const { return free_[site][step]; }

  /// Would a job have its GPUs from hour `start` until it ends, as far as is known?
  /// The step of the start is not looked at if `skips_first`.
  bool fits(const MpcDemand& demand, double start, bool skips_first) const;
  /// Holds the GPUs of such a job, or gives them back.
  void book(const MpcDemand& demand, double start);
  void release(const MpcDemand& demand, double start);

 private:
  void change(const MpcDemand& demand, double start, double sign);

  double step_ = 1;                        ///< hours
  std::vector<std::vector<double>> free_;  ///< by site and step; planned beyond it below 0
};

}  // namespace penstock
