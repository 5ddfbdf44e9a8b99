#include "policy/elastic/plan.h"

#include <cmath>
#include <queue>
#include <tuple>

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A step of one job that waits for its turn.
struct Step {
  double priority = 0;
  double gain_per_gpu = 0;  ///< between steps that cost no energy
  std::uint32_t job = 0;
  std::uint32_t to = 0;
  bool operator<(const Step& other) const {  // priority_queue keeps the largest on top
    return std::tuple(priority, gain_per_gpu, other.job) <
           std::tuple(other.priority, other.gain_per_gpu, job);
  }
};

class Greedy {
 public:
  Greedy(std::span<const PlanJob> jobs, const PlanLimits& limits, const PlanOptions& options)
      : jobs_(jobs), limits_(limits), options_(options), plan_(jobs.size()) {}

  Plan plan() {
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) admit(i);
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (plan_[i]) offer_next(i);
    while (!steps_.empty()) {
      const Step step = steps_.top();
      steps_.pop();
      take_or_skip(step);
    }
    return std::move(plan_);
  }

 private:
  struct Use {
    std::uint32_t gpus = 0;
    Watts power{};
    Joules energy{};
  };

  Use use_of(std::uint32_t job, std::uint32_t way) const {
    const Way& w = jobs_[job].curve->way(way);
    return {w.gpus, w.draw + w.nodes, energy_ahead(jobs_[job], w)};
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

  void admit(std::uint32_t job) {
    Use least = use_of(job, 0);
    if (fits(least, {})) {
      plan_[job] = 0;
    } else {
      // It waits, but the energy it will need one day is not for others.
      least = {.energy = least.energy};
      if (!fits(least, {})) return;
    }
    change(least, {});
  }

  Step step_to(std::uint32_t job, std::uint32_t to) const {
    const PlanJob& j = jobs_[job];
    const Way& from = j.curve->way(*plan_[job]);
    const Way& there = j.curve->way(to);
    const double before = seconds(time_ahead(j, from));
    const double gain = (before - seconds(time_ahead(j, there))) / before;
    const double shortness =
        options_.favour_short == 0 ? 1 : std::pow(before, -options_.favour_short);
    return {priority(j, from, there) * shortness, gain * shortness / (1 + there.gpus - from.gpus),
            job, to};
  }

  void offer(const Step& step) {
    if (step.priority > 0 && pays(step)) steps_.push(step);
  }

  bool pays(const Step& step) const {
    if (options_.energy_price == 0 || step.priority == kInfinity) return true;
    const PlanJob& job = jobs_[step.job];
    const Way& from = job.curve->way(*plan_[step.job]);
    const Way& to = job.curve->way(step.to);
    const Duration before = time_ahead(job, from);
    const Duration after = time_ahead(job, to);
    const double saved =
        seconds(before - after) + options_.crowding * seconds(from.gpus * before - to.gpus * after);
    const double added = (energy_ahead(job, to) - energy_ahead(job, from)).value();
    return saved > options_.energy_price * added;
  }

  /// Both candidates are put up; the one that is not taken first is offered anew.
  void offer_next(std::uint32_t job) {
    const Curve& curve = *jobs_[job].curve;
    if (const auto more = curve.more_gpus(*plan_[job])) offer(step_to(job, *more));
    if (const auto faster = curve.faster_clock(*plan_[job])) offer(step_to(job, *faster));
  }

  bool is_current(const Step& step) const {
    const Curve& curve = *jobs_[step.job].curve;
    const std::uint32_t at = *plan_[step.job];
    return curve.more_gpus(at) == step.to || curve.faster_clock(at) == step.to;
  }

  void take_or_skip(const Step& step) {
    if (!is_current(step)) return;
    const Use before = use_of(step.job, *plan_[step.job]);
    const Use after = use_of(step.job, step.to);
    if (!fits(after, before)) return;
    change(after, before);
    plan_[step.job] = step.to;
    offer_next(step.job);
  }

  std::span<const PlanJob> jobs_;
  const PlanLimits& limits_;
  const PlanOptions& options_;
  Plan plan_;
  Use used_;
  std::priority_queue<Step> steps_;
};

}  // namespace

Duration time_ahead(const PlanJob& job, const Way& way) {
  const Duration work = job.left / way.speed;
  return way.gpus == job.gpus_now ? work : work + job.restart;
}

Joules energy_ahead(const PlanJob& job, const Way& way) {
  return (way.draw + way.nodes) * time_ahead(job, way);
}

double priority(const PlanJob& job, const Way& from, const Way& to) {
  const double time = seconds(time_ahead(job, from));
  const double saved = time - seconds(time_ahead(job, to));
  if (saved <= 0) return -kInfinity;
  const double energy = energy_ahead(job, from).value();
  const double added = energy_ahead(job, to).value() - energy;
  if (added <= 0) return kInfinity;
  return saved / time / (added / energy);
}

Plan plan_greedily(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options) {
  return Greedy(jobs, limits, options).plan();
}

}  // namespace penstock
