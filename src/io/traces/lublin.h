#pragma once

#include <array>
#include <cstdint>

#include "base/rng.h"

namespace penstock {

/// Rigid jobs as Lublin and Feitelson model them ("The workload on parallel supercomputers:
/// modeling the characteristics of rigid jobs", JPDC 63(11), 2003), with the parameters published
/// for batch and interactive jobs together. Sizes are log-uniform in two stages, often one or a
/// power of two; logarithms of run times are hyper-gamma, long ones likelier for large jobs;
/// logarithms of gaps are gamma, and the day has a cycle of 48 half hours. Times are seconds.
class LublinModel {
 public:
  static constexpr std::uint32_t kLeastMachine = 16;
  static constexpr std::uint32_t kMostMachine = 1u << 20;

  /// Of a machine with so many processors, kLeastMachine to kMostMachine.
  explicit LublinModel(std::uint32_t machine);

  std::uint32_t draw_size(Rng& rng) const;
  static double draw_run_time(std::uint32_t size, Rng& rng);
  /// A gap as if every hour were alike.
  static double draw_gap(Rng& rng);
  /// When so long a gap that begins at `now` ends, by the cycle of the day. Both since midnight
  /// UTC.
  double end_of_gap(double now, double gap) const;

  /// What the draws above have on average, integrated numerically.
  static double mean_gap();
  double mean_work() const;  ///< processor seconds of a job

 private:
  static constexpr std::size_t kBuckets = 48;

  /// The chance of drawing a logarithm below `log2_size` for a parallel job.
  double chance_below(double log2_size) const;
  double chance_of(std::uint32_t size) const;

  std::uint32_t machine_;
  double highest_;                          ///< log2 of the machine
  double middle_;                           ///< log2 of where the two stages meet
  std::array<double, kBuckets> weights_{};  ///< of the half hours, 1 on average
};

}  // namespace penstock
