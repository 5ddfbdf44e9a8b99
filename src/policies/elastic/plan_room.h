#pragma once

#include <span>

#include "policies/elastic/plan.h"

namespace penstock {

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

}  // namespace penstock
