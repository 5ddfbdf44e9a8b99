#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "solve/bounded_jobs.h"
#include "solve/least_use.h"
#include "solve/step_rate.h"

namespace penstock {

inline constexpr double kEndlessTime = std::numeric_limits<double>::infinity();

/// The time of a run in windows, the last of them until signals end or for ever, and the least cost
/// of a joule in each of them.
struct TimeWindows {
  std::vector<double> begin{};               ///< seconds from the start; the first is 0
  std::vector<std::vector<double>> rates{};  ///< by site, by window
  double known_until = kEndlessTime;         ///< no run lasts longer, or none that counts
  std::uint32_t earliest_last = 0;           ///< no run ends in a window before this one

  std::size_t size() const { return begin.size(); }
  /// That of the last is known_until.
  double end(std::size_t window) const;
  std::size_t at(double when) const;
};

/// Rates below `floor` count as that.
TimeWindows windows_of(const BoundedWorld& world, std::span<const StepRate> rates, double makespan,
                       const BoundSettings& settings, double floor);

/// Windows that may be divided, how much that might change, and where prices change.
struct WindowsToDivide {
  const TimeWindows& windows;
  std::vector<double> stakes{};  ///< by window
  std::size_t most = 0;          ///< windows
};

/// Finer windows, each part of one, and the number of the one that it is part of: halves where most
/// is at stake; at full hours, so far as they are longer than that.
struct DividedWindows {
  TimeWindows windows{};
  std::vector<std::size_t> parts_of{};
};
DividedWindows divided(const WindowsToDivide& given, const BoundedWorld& world,
                       std::span<const StepRate> rates, double floor);

/// What a GPU-second costs beside its energy, by window and pool: 0 or more.
using CapacityPrices = std::vector<std::vector<double>>;

struct PricedWork {
  const TimeWindows& windows;
  const Machines& machines;
  const BoundedJobs& jobs;
  const LeastSending& sending;
  const ObjectiveWeights& weights;
  /// Seconds for which a job may hold GPUs without working, or endless: counts where a joule
  /// counts less than nothing.
  double waste = 0;

  bool wastes_once() const { return waste < kEndlessTime; }
  bool sends() const { return sending.can(); }
};

/// Prices of scarce GPUs, were a run to end by the window `last`: the duals of a linear program
/// over classes of jobs, at most `most_columns` large.
CapacityPrices capacity_prices(const PricedWork& priced, std::size_t last,
                               std::size_t most_columns);

/// The most that jobs can hold of a type at any time.
struct Holding {
  double gpus = 0;
  double watts = 0;  ///< these can draw
};

/// Jobs that are much alike, taken together.
struct JobClass {
  std::size_t first = 0;    ///< window of submission
  std::size_t last = 0;     ///< window after which nothing is planned
  std::vector<Use> uses{};  ///< of all of them, by type
  double weight = 0;        ///< money for each second that all of them are late
  double weighted_deadline = 0;
  double gpu_seconds = 0;
  double fastest = 0;               ///< their mean, by GPU-seconds
  std::vector<Holding> holdings{};  ///< by type, all of them together
  double late = 0;                  ///< the cost of all of them being late
  double due = 0;                   ///< number of jobs that can end before their deadline
  double deadline = 0;              ///< the mean of theirs
  SiteId home = kNoSite;
  double gigabytes = 0;
};

/// All jobs in classes. With so few that a linear program with a variable for each of a class's
/// windows and pools has at most `most_columns`, if that is possible at all.
std::vector<JobClass> job_classes(const PricedWork& priced, std::size_t most_columns);

}  // namespace penstock
