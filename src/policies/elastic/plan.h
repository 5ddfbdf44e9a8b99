#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
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
  /// plan_by_shares() counts a second of a job whose least way takes T as T to the minus this.
  double favour_short = 0;
  /// Seconds that a joule is worth: a step that saves less than its energy costs is not taken.
  double energy_price = 0;
  /// Jobs that wait, for each GPU: so many seconds of others are saved with every GPU-second.
  double crowding = 0;
};

/// How every job shall run: the index of a way of its curve, or nothing if it waits.
using Plan = std::vector<std::optional<std::uint32_t>>;

/// What a job has still before it, run in a way.
Duration time_ahead(const PlanJob& job, const Way& way);
Joules energy_ahead(const PlanJob& job, const Way& way);

/// How much a step from one way to another is worth: the relative time it saves for the
/// relative energy it adds (PowerFlow, Eq. 16 and 17). A step that saves no time is worth
/// minus infinity, one that adds no energy plus infinity.
double priority(const PlanJob& job, const Way& from, const Way& to);

/// Is the time that a step saves, for the job and for those that wait, worth its energy?
bool pays(const PlanJob& job, const Way& from, const Way& to, const PlanOptions& options);

/// Plans greedily: jobs are admitted in the order given with their least GPUs at the clock
/// that needs least energy; then the step of the highest priority is taken, again and again,
/// until none is left that gains and fits. A step that breaks a limit is skipped. Needs
/// O((jobs + steps) log jobs).
Plan plan_greedily(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options = {});

}  // namespace penstock
