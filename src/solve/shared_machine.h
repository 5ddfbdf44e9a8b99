#pragma once

#include <span>
#include <vector>

#include "solve/bounded_jobs.h"
#include "solve/lower_hull.h"

namespace penstock {

/// All GPUs as one machine that does as many GPU-seconds a second. Of the jobs that are there it
/// serves the smallest; what its time is worth follows from that (docs/bounds.md).
class SharedMachine {
 public:
  /// `jobs` must outlive it.
  explicit SharedMachine(std::span<const BoundedJob> jobs);

  /// Serves all jobs; `sizes` are the seconds that each keeps it busy.
  void serve(std::vector<double> sizes);

  /// The integral of its worth over all time.
  double worth() const { return worth_; }

  /// Calls `each(job, hull)` for every job. The least of x + s · y over the points of the hull is
  /// the least of t + s · worth(t) over all times t at which the job is ready.
  template <class Each>
  void for_each_job(const Each& each) const {
    LowerHull times;
    std::size_t later = stretches_.size();  // the earliest stretch that is in `times`
    for (std::size_t i = order_.size(); i-- > 0;) {
      const double ready = jobs_[order_[i]].ready;
      while (later > 0 && stretches_[later - 1].from >= ready) add(times, stretches_[--later]);
      const bool inside = later > 0 && stretches_[later - 1].to > ready;
      if (inside) add(times, part_from(stretches_[later - 1], ready));
      const bool idle = later == stretches_.size() || stretches_[later].from > ready;
      if (!inside && idle) times.add({.x = ready, .y = 0});
      each(order_[i], times);
    }
  }

 private:
  static constexpr std::uint32_t kNobody = ~0u;

  /// A time in which it serves one job. Its worth falls from the one to the other.
  struct Stretch {
    double from = 0;
    double to = 0;
    std::uint32_t job = 0;
    bool ends_job = false;
    std::uint32_t next = kNobody;  ///< the smallest that waits when a job ends
    double worth_from = 0;
    double worth_to = 0;
  };

  void lay_out();
  void find_worth();
  static Stretch part_from(const Stretch& stretch, double from);
  static void add(LowerHull& times, const Stretch& stretch) {
    times.add({.x = stretch.to, .y = stretch.worth_to});
    times.add({.x = stretch.from, .y = stretch.worth_from});
  }

  std::span<const BoundedJob> jobs_;
  std::vector<std::uint32_t> order_;  ///< as jobs get ready
  std::vector<double> sizes_;
  std::vector<Stretch> stretches_;
  double worth_ = 0;
};

}  // namespace penstock
