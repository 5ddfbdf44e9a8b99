#include "policies/elastic/plan.h"

#include <cmath>
#include <queue>
#include <tuple>

#include "policies/elastic/plan_room.h"

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A step of one job that waits for its turn.
struct Step {
  double priority = 0;
  double gain_per_gpu = 0;  ///< between steps that cost no energy
  std::uint32_t job = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool operator<(const Step& other) const {  // priority_queue keeps the largest on top
    return std::tuple(priority, gain_per_gpu, other.job) <
           std::tuple(other.priority, other.gain_per_gpu, job);
  }
};

class Greedy {
 public:
  Greedy(std::span<const PlanJob> jobs, const PlanLimits& limits, const PlanOptions& options)
      : jobs_(jobs), options_(options), room_(jobs, limits), plan_(room_.admit()) {}

  Plan plan() {
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
  Step step_to(std::uint32_t job, std::uint32_t to) const {
    const PlanJob& j = jobs_[job];
    const Way& from = j.curve->way(*plan_[job]);
    const Way& there = j.curve->way(to);
    const double before = seconds(time_ahead(j, from));
    const double gain = (before - seconds(time_ahead(j, there))) / before;
    return {priority(j, from, there), gain / (1 + there.gpus - from.gpus), job, *plan_[job], to};
  }

  void offer(const Step& step) {
    const PlanJob& job = jobs_[step.job];
    if (step.priority > 0 &&
        pays(job, job.curve->way(step.from), job.curve->way(step.to), options_))
      steps_.push(step);
  }

  /// Both candidates are put up; once one is taken, what is next is offered anew.
  void offer_next(std::uint32_t job) {
    const Curve& curve = *jobs_[job].curve;
    if (const auto more = curve.more_gpus(*plan_[job])) offer(step_to(job, *more));
    if (const auto faster = curve.faster_clock(*plan_[job])) offer(step_to(job, *faster));
  }

  void take_or_skip(const Step& step) {
    if (step.from != *plan_[step.job]) return;  // it has gone on since then
    const PlanRoom::Use before = room_.use_of(step.job, step.from);
    const PlanRoom::Use after = room_.use_of(step.job, step.to);
    if (!room_.fits(after, before)) return;
    room_.change(after, before);
    plan_[step.job] = step.to;
    offer_next(step.job);
  }

  std::span<const PlanJob> jobs_;
  const PlanOptions& options_;
  PlanRoom room_;
  Plan plan_;
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

bool pays(const PlanJob& job, const Way& from, const Way& to, const PlanOptions& options) {
  if (options.energy_price == 0) return true;
  const Duration before = time_ahead(job, from);
  const Duration after = time_ahead(job, to);
  const double saved =
      seconds(before - after) + options.crowding * seconds(from.gpus * before - to.gpus * after);
  const double added = (energy_ahead(job, to) - energy_ahead(job, from)).value();
  return added <= 0 || saved > options.energy_price * added;
}

Plan plan_greedily(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options) {
  return Greedy(jobs, limits, options).plan();
}

}  // namespace penstock
