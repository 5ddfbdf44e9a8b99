#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "model/trace.h"

namespace penstock {

/// A job that came some time after the one before it.
struct Arrival {
  Duration gap{};
  std::uint32_t gpus = 1;
  Duration requested{};
  std::uint64_t gpu_types = ~0ull;
  /// Its parents, as numbers of arrivals before it; at least 1 each.
  std::vector<std::uint32_t> parents_back{};
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

/// Past jobs: the order in which they came, and which part of the requested time each ran.
struct PastJobs {
  std::vector<Arrival> arrivals{};
  std::vector<double> parts{};
  friend bool operator==(const PastJobs&, const PastJobs&) = default;
};

/// Of at most `most` jobs: all, or runs of consecutive jobs spread over the trace.
PastJobs past_of(std::span<const TracedJob> jobs, std::size_t most);

/// The last jobs, from which futures are sampled. Remembers a fixed number of them.
class History {
 public:
  /// Begins with `before` as the latest past.
  explicit History(std::size_t remembered, const PastJobs& before = {});

  void add_arrival(const Job& job);
  /// A job ran for this part of the time it had asked for.
  void add_end(double part);

  /// A run time for a job that asked for `requested` and has run for `already`: as the
  /// `uniform`-th, in [0, 1), of the remembered jobs that ran for a larger part of their request.
  Duration sample_run_time(Duration requested, Duration already, double uniform) const;

  struct Coming {
    Time when{};
    Arrival what{};
  };
  /// `count` arrivals after `now`: a random run of remembered arrivals with their gaps and jobs, in
  /// which the oldest follows the latest. No job waits for one before the run. The first gap is
  /// drawn from those longer than the time since the last arrival; if there is none, that time
  /// doubles. Fewer if fewer are remembered.
  std::vector<Coming> sample_arrivals(Time now, std::size_t count, Rng& rng) const;

 private:
  void remember(Arrival arrival, JobId job);
  /// The `place`-th oldest.
  const Arrival& at(std::size_t place) const {
    return arrivals_[(oldest_ + place) % arrivals_.size()];
  }
  /// A random remembered arrival whose gap is longer than `idle_time`.
  std::optional<std::size_t> sample_next_after(Duration idle_time, Rng& rng) const;
  std::vector<std::uint32_t> steps_back_to(std::span<const JobId> parents) const;

  std::size_t remembered_;
  std::optional<Time> last_;
  std::vector<Arrival> arrivals_;  ///< a ring
  std::vector<JobId> jobs_;        ///< whose arrivals these were
  std::size_t oldest_ = 0;         ///< of the ring once it is full
  std::vector<double> parts_;      ///< a ring
  std::size_t oldest_part_ = 0;
  std::vector<double> sorted_;  ///< `parts_` in ascending order
};

}  // namespace penstock
