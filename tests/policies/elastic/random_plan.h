#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "policies/elastic/plan.h"

namespace penstock {

/// Jobs to plan for, with the curves they refer to.
struct PlanCase {
  std::deque<Curve> curves{};
  std::vector<PlanJob> jobs{};
  PlanLimits limits{};
};

/// What a plan uses.
struct PlanUse {
  std::uint32_t gpus = 0;
  Watts power{};
  Joules energy{};
  std::uint32_t waiting = 0;
  double mean_time = 0;  ///< seconds, of the jobs that run
};

inline PlanUse use_of(const PlanCase& c, const Plan& plan) {
  PlanUse use;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) {
      ++use.waiting;
      continue;
    }
    const Way& way = c.jobs[i].curve->way(*plan[i]);
    use.gpus += way.gpus;
    use.power += way.draw;
    use.energy += energy_ahead(c.jobs[i], way);
    use.mean_time += seconds(time_ahead(c.jobs[i], way));
  }
  use.mean_time /= std::max(1.0, static_cast<double>(plan.size() - use.waiting));
  return use;
}

struct PlanDiceLimits {
  std::uint32_t most_jobs = 4;
  std::uint32_t most_gpus = 8;
  std::uint32_t clocks = 3;
};

/// Draws planning problems: sane kinds of training on GPUs with a few clocks.
class PlanDice {
 public:
  explicit PlanDice(std::uint64_t seed) : rng_(Rng(seed).stream("plan")) {}

  PlanCase roll(const PlanDiceLimits& limits) {
    PlanCase c;
    const std::uint32_t count = between(2, limits.most_jobs);
    c.limits.gpus = std::max(count, between(2, limits.most_gpus));
    const GpuType type{.name = "gpu",
                       .min_clock_mhz = 600,
                       .max_clock_mhz = 600 + (limits.clocks - 1) * (840 / (limits.clocks - 1)),
                       .clock_step_mhz = 840 / (limits.clocks - 1),
                       .idle = Watts(50),
                       .peak = Watts(400)};
    const CurveContext context{.node_gpus = 8,
                               .most_gpus = limits.most_gpus,
                               .idle = type.idle,
                               .node = rng_.uniform() < 0.5 ? Watts{} : Watts(real(20, 100))};
    for (std::uint32_t i = 0; i < count; ++i) {
      c.curves.emplace_back(roll_profile(type), type, context);
      c.jobs.push_back(roll_job(c.curves.back()));
    }
    return c;
  }

  double real(double least, double most) { return least + (most - least) * rng_.uniform(); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }
  bool chance(double p) { return rng_.uniform() < p; }

 private:
  Profile roll_profile(const GpuType& type) {
    Profile profile{.name = "kind", .gpu = type.name, .gpus_most = 64};
    SpeedModel& speed = profile.speed;
    speed = {.alpha_c = real(0.005, 0.05), .beta_c = real(0.0005, 0.01)};
    speed.alpha_r = real(0, 0.07);
    speed.beta_r = real(0, 0.003);
    speed.alpha_n = speed.alpha_r * real(1.1, 3);
    speed.beta_n = speed.beta_r * real(0.5, 2);
    speed.gamma = real(1, 3);
    speed.delta = real(0, 0.6);
    profile.power = {.p0 = type.idle * real(1, 1.5),
                     .p1 = Watts(real(0, 100)),
                     .p3 = Watts(real(100, 250)),
                     .p1_sync = Watts(real(0, 80))};
    profile.batch = {.least = 16, .most = double(between(2, 16) * 32), .local_most = 64};
    profile.noise = {.base = 16,
                     .scale = chance(0.5) ? std::optional(real(50, 2000)) : std::nullopt};
    return profile;
  }

  /// Minutes to a day, as traces have them.
  PlanJob roll_job(const Curve& curve) {
    PlanJob job{.curve = &curve};
    const double time = 60 * std::pow(10, real(1, 3));
    job.left = curve.way(0).speed * round_duration(time);
    if (chance(0.5)) job.restart = std::chrono::seconds(30);
    if (chance(0.5)) job.gpus_now = 1u << between(0, 2);
    return job;
  }

  Rng rng_;
};

}  // namespace penstock
