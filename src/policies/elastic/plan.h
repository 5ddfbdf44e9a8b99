#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/elastic/curve.h"

namespace penstock {

/// A job to be planned for.
struct PlanJob {
  const Curve* curve = nullptr;  ///< not empty
  Work left{};
  Duration restart{};          ///< what a start, or a change of its GPUs, would cost it
  std::uint32_t gpus_now = 0;  ///< those it has, with which it goes on without a restart
};

/// What a plan may use up at most.
struct PlanLimits {
  std::uint32_t gpus = 0;
  Watts power{std::numeric_limits<double>::infinity()};    ///< of all jobs at a time
  Joules energy{std::numeric_limits<double>::infinity()};  ///< of all jobs until they have ended
};

struct PlanOptions {
  /// For plan_by_shares(): the weight of a saved second is T^-favour_short, T being the job's time
  /// in its smallest way.
  double favour_short = 0;
  /// Seconds that a joule of GPUs and nodes is worth, cooling not counted: a step that saves less
  /// than its energy costs is not taken.
  double energy_price = 0;
};

/// How every job shall run: the index of a way of its curve, or nothing if it waits.
using Plan = std::vector<std::optional<std::uint32_t>>;

/// The remaining time and energy of a job that runs in a way.
inline Duration time_ahead(const PlanJob& job, const Way& way) {
  const Duration work = job.left / way.speed;
  return way.gpus == job.gpus_now ? work : work + job.restart;
}
Joules energy_ahead(const PlanJob& job, const Way& way);

/// How much a step from one way to another is worth: the relative time it saves for the
/// relative energy it adds (PowerFlow, Eq. 16 and 17). A step that saves no time is worth
/// minus infinity, one that adds no energy plus infinity.
double priority(const PlanJob& job, const Way& from, const Way& to);

/// Whether the time that a step saves is worth its energy.
bool pays(const PlanJob& job, const Way& from, const Way& to, const PlanOptions& options);

/// Plans greedily: jobs are admitted in the order given with their least GPUs at the clock
/// that needs least energy; then the step of the highest priority is taken, again and again,
/// until none is left that gains and fits. A step that breaks a limit is skipped. Needs
/// O((jobs + steps) log jobs).
Plan plan_greedily(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options = {});

/// What a plan in the making uses of its limits.
class PlanRoom {
 public:
  struct Use {
    std::uint32_t gpus = 0;
    Watts power{};
    Joules energy{};
  };

  PlanRoom(std::span<const PlanJob> jobs, const PlanLimits& limits)
      : jobs_(jobs), limits_(limits) {}

  /// Admits jobs in the order given, each in its first way or not at all.
  Plan admit() {
    Plan plan(jobs_.size());
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (admit(i)) plan[i] = 0;
    return plan;
  }

  Use use_of(std::uint32_t job, std::uint32_t way) const {
    const Way& w = jobs_[job].curve->way(way);
    return {w.gpus, w.draw, energy_ahead(jobs_[job], w)};
  }
  bool fits(const Use& more, const Use& less) const {
    return used_.gpus + more.gpus - less.gpus <= limits_.gpus &&
           used_.power + more.power - less.power <= limits_.power &&
           used_.energy + more.energy - less.energy <= limits_.energy;
  }
  void change(const Use& more, const Use& less) {
    used_.gpus += more.gpus - less.gpus;
    used_.power += more.power - less.power;
    used_.energy += more.energy - less.energy;
  }
  const Use& used() const { return used_; }

 private:
  bool admit(std::uint32_t job) {
    const Use least = use_of(job, 0);
    if (fits(least, {})) {
      change(least, {});
      return true;
    }
    // It waits, but the energy it will need one day is not for others.
    const Use reserved{.energy = least.energy};
    if (fits(reserved, {})) change(reserved, {});
    return false;
  }

  std::span<const PlanJob> jobs_;
  const PlanLimits& limits_;
  Use used_;
};

/// Plans as plan_greedily() does, but by another ranking: the time a step saves for the share it
/// takes of what the admitted jobs leave of GPUs, power and energy, with a step to any faster way
/// of the job. This is the greedy of multiple-choice knapsacks, which comes near to the least mean
/// time where relative gains do not (they value a minute of a short job like an hour of a long one,
/// and take GPUs to be free).
Plan plan_by_shares(std::span<const PlanJob> jobs, const PlanLimits& limits,
                    const PlanOptions& options = {});

/// Why each job runs as planned, or waits, for people: what it will take, and what of the limits
/// the whole plan uses. Indexed like `jobs`.
std::vector<std::string> plan_reasons(std::span<const PlanJob> jobs, const Plan& plan,
                                      const PlanLimits& limits);

}  // namespace penstock
