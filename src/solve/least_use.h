#pragma once

#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "solve/bounds.h"

namespace penstock {

/// The minimum over an empty set of ways.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// What one way of doing a piece of work needs.
struct WorkWay {
  double seconds = 0;
  double gpu_seconds = 0;
  double joules = 0;  ///< of its GPUs, beyond what they draw at least when idle
};

/// What a piece of work needs at least on one GPU type, each figure by itself: the quickest way
/// of doing it need not be the thriftiest.
struct Use {
  bool possible = false;
  double seconds = 0;
  double gpu_seconds = 0;
  double joules = 0;            ///< of its GPUs, beyond what they draw at least when idle
  std::vector<WorkWay> ways{};  ///< all ways, where they can be distinguished; or none
  /// Where it was asked for: every way there is needs no less of all three than some mixture of
  /// these.
  std::vector<WorkWay> hull{};
  bool exact = false;     ///< the figures, or each of the ways, are what it really needs
  double most_gpus = 0;   ///< it can hold, for each unit of a job's width
  double most_watts = 0;  ///< each of them can draw
};

/// Whether to find out how the figures of a use depend on each other, or only each by itself.
enum class TellHull : bool { no, yes };

/// The least and the highest draw of a GPU of a type, held by a job or not.
struct GpuDraw {
  double least = 0;
  double most = 0;
};

/// Removes ways that need no less of anything than another one.
void drop_dominated(std::vector<WorkWay>& ways);

/// The extremes of what one GPU of each type can draw in any phase and under any job.
std::vector<GpuDraw> gpu_draws(const BoundedWorld& world);

/// What jobs need at least, on each type, over all GPUs, clocks and batches that they may have.
class LeastUse {
 public:
  /// Both must outlive it.
  LeastUse(const BoundedWorld& world, const std::vector<GpuDraw>& draws,
           TellHull hull = TellHull::no)
      : world_(world), draws_(draws), tells_hull_(hull == TellHull::yes) {}

  /// What distinguishes jobs beside their work: types, and either load or kind, GPUs and batch
  /// size.
  using Shape = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, double>;
  static Shape shape(const TracedJob& traced);
  /// What it really has to do: GPU-seconds of a rigid job, or work of its kind.
  double work(const TracedJob& traced) const;
  /// By type, for one unit of work.
  std::vector<Use> unit(const TracedJob& traced);

 private:
  Use rigid(const TracedJob& traced, std::uint32_t type) const;
  Use in_range(const Profile& profile, std::uint32_t type);
  Use with_batch(const Profile& profile, std::uint32_t type, double batch);
  Use as_asked(const TracedJob& traced, const Profile& profile, std::uint32_t type) const;

  const BoundedWorld& world_;
  const std::vector<GpuDraw>& draws_;
  bool tells_hull_;
  std::map<std::pair<const Profile*, std::uint32_t>, Use> in_range_;  ///< by profile and type
  std::map<std::tuple<const Profile*, std::uint32_t, double>, Use> with_batch_;  ///< and by batch
};

/// The least cost of sending a gigabyte from one site to another, by any way and at any time.
/// Energy whose price is below 0 costs nothing here, see `earned`.
class LeastSending {
 public:
  LeastSending(const BoundedWorld& world, const ObjectiveWeights& weights);

  /// Are there files to send, and ways to do it?
  bool can() const { return !cost_.empty(); }
  double cost(SiteId from, std::uint32_t to) const { return cost_[at(from, to)]; }
  /// Seconds per gigabyte; infinite if no way joins the two.
  double seconds(SiteId from, std::uint32_t to) const { return seconds_[at(from, to)]; }
  /// What sending a gigabyte once may earn where the price of power is below 0: 0 or more.
  double earned() const { return earned_; }

 private:
  std::size_t at(SiteId from, std::uint32_t to) const { return from.index * sites_ + to; }
  void add(bool stays, const Link& link, double cost);
  void shorten(std::vector<double>& ways) const;

  std::size_t sites_;
  std::vector<double> cost_;     ///< from row to column
  std::vector<double> seconds_;  ///< the same
  double earned_ = 0;
};

}  // namespace penstock
