#pragma once

#include <vector>

#include "base/rng.h"
#include "base/time.h"
#include "model/job.h"

namespace penstock {

/// What the last jobs were like: when they came, and how long they ran of what they had asked for.
/// From it, what may come is drawn. Remembers a fixed number of each.
class History {
 public:
  explicit History(std::size_t remembered) : remembered_(remembered) {}

  struct Arrival {
    Time when{};
    std::uint32_t gpus = 1;
    Duration requested{};
    std::uint64_t gpu_types = ~0ull;
  };
  void saw(const Arrival& arrival);
  /// A job ran for this part of the time it had asked for.
  void saw_end(double part);

  /// How long a job may really run that asked for `requested` and has run for `already`, were it
  /// like one of the last that ran longer: the `uniform`-th of them, in [0, 1).
  Duration may_run(Duration requested, Duration already, double uniform) const;

  /// So many arrivals after `now` as there were in a row some time before: the same gaps, the same
  /// jobs. Fewer if fewer are remembered.
  std::vector<Arrival> may_come(Time now, std::size_t count, Rng& rng) const;

 private:
  std::size_t remembered_;
  std::vector<Arrival> arrivals_;  ///< a ring
  std::size_t next_arrival_ = 0;
  std::vector<double> parts_;  ///< a ring
  std::vector<double> sorted_;
  std::size_t next_part_ = 0;
};

}  // namespace penstock
