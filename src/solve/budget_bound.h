#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solve/bounded_jobs.h"
#include "solve/bounds.h"
#include "solve/lower_hull.h"
#include "solve/shared_machine.h"

namespace penstock {

/// What machines draw beside the jobs, at least.
struct MachineEnergy {
  double joules = 0;          ///< whatever the jobs do
  double per_gpu_second = 0;  ///< more for each that a job holds, by its share of the run's time
  std::optional<std::uint32_t> last{};  ///< this job ends no earlier than the run may
  double after = 0;                     ///< watts while that job runs on
};

/// The trade-off between time and energy, where the energy of a run is a sum over its jobs and
/// `machines`. By Lagrange: at any price of energy each job takes the way that is best for itself.
class EnergyPrices {
 public:
  /// `ways` are by shape, for a unit of work; their joules are as metered.
  EnergyPrices(const BoundedJobs& jobs, const std::vector<std::vector<WorkWay>>& ways,
               const MachineEnergy& machines, double gpus);

  /// Joules that any run needs.
  double least() const;
  /// Of all jobs between submission and end, at least, with no more than a budget that is at least
  /// least().
  double seconds(double budget) const;

 private:
  struct Shape {
    std::vector<WorkWay> ways{};
    LowerHull best{};  ///< of their seconds and joules
    double scale = 0;  ///< of all its jobs
    double work = 0;   ///< likewise
  };
  struct Last {
    BoundedJob job{};
    double watts = 0;
  };
  /// What all jobs and machines need.
  struct Needs {
    double seconds = 0;
    double joules = 0;
  };
  /// A bound that is linear in the budget.
  struct Line {
    double seconds = 0;  ///< if the budget were nothing
    double price = 0;    ///< seconds by which each joule lowers it
    double size = 0;     ///< of the numbers that were added up
    double at(double budget) const;
  };

  /// At a price of energy, if no job waits for another.
  Needs alone(double price) const;
  void add_last(double price, Needs& needs) const;
  Line line_alone(double price) const;
  double seconds_alone(double budget) const;
  double highest_price() const;
  std::vector<double> prices(std::size_t most) const;
  /// At a price of energy, if jobs share the GPUs. `part` of each completion time counts as if the
  /// job were alone.
  Line shared(const BoundedJobs& jobs, double price, double part, SharedMachine& machine) const;
  std::vector<LowerHull> choices(double price, double part) const;

  double gpus_;
  std::vector<Shape> shapes_;
  std::optional<Last> last_{};
  double waits_ = 0;      ///< from submissions until jobs are ready, the sum
  double submitted_ = 0;  ///< the sum
  double machines_ = 0;   ///< joules
  double highest_ = 0;    ///< price, above which nothing changes
  std::vector<Line> lines_{};
};

/// The least mean completion time of runs in which all jobs end and sites draw no more than a
/// budget, cooling included, from the first submission on. docs/bounds.md says why it holds.
class BudgetBound {
 public:
  /// Takes most of the time; budgets are answered at once.
  BudgetBound(const BoundedWorld& world, JobSource& source);

  /// No run needs less.
  Joules least_energy() const { return least_; }
  /// Never less for a smaller budget. Nothing if no run keeps it, or there are no jobs.
  std::optional<Duration> jct_mean(Joules budget) const;

 private:
  double jobs_ = 0;
  Joules least_{};
  double without_budget_ = 0;  ///< seconds, of all jobs
  std::vector<EnergyPrices> by_machines_{};
};

}  // namespace penstock
