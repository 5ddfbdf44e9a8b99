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
  /// Whom it waits for, by how many arrivals before it they came; at least 1 each.
  std::vector<std::uint32_t> parents_back{};
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

/// What jobs were like: in which order they came, and which parts of the time they had asked for
/// they ran.
struct PastJobs {
  std::vector<Arrival> arrivals{};
  std::vector<double> parts{};
  friend bool operator==(const PastJobs&, const PastJobs&) = default;
};

/// Of at most `most` jobs: all, or rows of them from here and there.
PastJobs past_of(std::span<const TracedJob> jobs, std::size_t most);

/// The last jobs, of which what may come is drawn. Remembers a fixed number of them.
class History {
 public:
  /// As if `before` had just happened.
  explicit History(std::size_t remembered, const PastJobs& before = {});

  void add_arrival(const Job& job);
  /// A job ran for this part of the time it had asked for.
  void add_end(double part);

  /// How long a job may really run that asked for `requested` and has run for `already`, were it
  /// like one of the last that ran longer: the `uniform`-th of them, in [0, 1).
  Duration sample_run_time(Duration requested, Duration already, double uniform) const;

  struct Coming {
    Time when{};
    Arrival what{};
  };
  /// So many arrivals after `now` as there were in a row some time before, where the oldest follows
  /// the last: the same gaps, the same jobs, of which none waits for a job before the row. The
  /// first gap is one that lasted longer than the present silence; if none did, the silence lasts
  /// as long again. Fewer if fewer are remembered.
  std::vector<Coming> sample_arrivals(Time now, std::size_t count, Rng& rng) const;

 private:
  void remember(Arrival arrival, JobId job);
  /// The `place`-th oldest.
  const Arrival& at(std::size_t place) const {
    return arrivals_[(oldest_ + place) % arrivals_.size()];
  }
  /// Whose arrival may end a silence that has lasted so long.
  std::optional<std::size_t> sample_next_after(Duration silence, Rng& rng) const;
  std::vector<std::uint32_t> steps_back_to(std::span<const JobId> parents) const;

  std::size_t remembered_;
  std::optional<Time> last_;
  std::vector<Arrival> arrivals_;  ///< a ring
  std::vector<JobId> jobs_;        ///< whose arrivals these were
  std::size_t oldest_ = 0;         ///< of the ring once it is full
  std::vector<double> parts_;      ///< a ring
  std::size_t oldest_part_ = 0;
  std::vector<double> sorted_;  ///< the same parts
};

}  // namespace penstock
