#include "policy/elastic/plan_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "policy/elastic/plan_room.h"

namespace penstock {
namespace {

/// What one unit of each is worth, as a share of what is left of it.
struct Shares {
  double gpu = 0;
  double watt = 0;
  double joule = 0;
};

double share(double left) {
  return std::isfinite(left) && left > 0 ? 1 / left : 0;
}

struct Step {
  bool is_free = false;
  double rank = 0;
  std::uint32_t job = 0;
  std::uint32_t to = 0;
  bool operator<(const Step& other) const {  // priority_queue keeps the largest on top
    return std::tuple(is_free, rank, other.job) < std::tuple(other.is_free, other.rank, job);
  }
};

class ByShares {
 public:
  ByShares(std::span<const PlanJob> jobs, const PlanLimits& limits, const PlanOptions& options)
      : jobs_(jobs),
        options_(options),
        room_(jobs, limits),
        plan_(room_.admit()),
        weight_(jobs.size(), 1) {
    const PlanRoom::Use& used = room_.used();
    shares_ = {share(static_cast<double>(limits.gpus) - used.gpus),
               share((limits.power - used.power).value()),
               share((limits.energy - used.energy).value())};
    if (options.favour_short != 0)
      for (std::size_t i = 0; i < jobs.size(); ++i) weight_[i] = weight(jobs[i], options);
  }

  Plan plan() {
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (plan_[i]) offer(i);
    while (!steps_.empty()) {
      const Step step = steps_.top();
      steps_.pop();
      take(step);
      offer(step.job);
    }
    return std::move(plan_);
  }

 private:
  /// The best of the steps of a job that fit.
  void offer(std::uint32_t job) {
    const PlanJob& j = jobs_[job];
    const std::uint32_t at = *plan_[job];
    const Duration before = time_ahead(j, j.curve->way(at));
    const PlanRoom::Use now = room_.use_of(job, at);
    std::optional<Step> best;
    const double most = most_joules(*j.curve);
    for (std::uint32_t to = 0; to < j.curve->ways().size(); ++to) {
      const Duration saved = before - time_ahead(j, j.curve->way(to));
      if (saved <= Duration::zero()) continue;
      if (joules_per_work(j.curve->way(to)) > most) continue;
      const PlanRoom::Use then = room_.use_of(job, to);
      if (!room_.fits(then, now)) continue;
      const double gain = seconds(saved) * weight_[job];
      const double cost = cost_of(then) - cost_of(now);
      const Step step{cost <= 0, cost <= 0 ? gain : gain / cost, job, to};
      if (!best || *best < step) best = step;
    }
    if (best) steps_.push(*best);
  }

  /// For a unit of work: what the way needs that is the best for the price of energy. Ways
  /// that need more save less time than their energy is worth.
  double most_joules(const Curve& curve) const {
    if (options_.energy_price == 0) return std::numeric_limits<double>::infinity();
    return joules_per_work(curve.cheapest(options_.energy_price)) * (1 + 1e-9);
  }

  void take(const Step& step) {
    const PlanRoom::Use before = room_.use_of(step.job, *plan_[step.job]);
    const PlanRoom::Use after = room_.use_of(step.job, step.to);
    if (!room_.fits(after, before)) return;
    room_.change(after, before);
    plan_[step.job] = step.to;
  }

  double cost_of(const PlanRoom::Use& use) const {
    return shares_.gpu * use.gpus + shares_.watt * use.power.value() +
           shares_.joule * use.energy.value();
  }

  static double weight(const PlanJob& job, const PlanOptions& options) {
    const Duration time = std::max(time_ahead(job, job.curve->way(0)), Duration(1));
    return std::pow(seconds(time), -options.favour_short);
  }

  std::span<const PlanJob> jobs_;
  const PlanOptions& options_;
  PlanRoom room_;
  Plan plan_;
  std::vector<double> weight_;  ///< of each job's time
  Shares shares_;
  std::priority_queue<Step> steps_;  ///< at most one of each job
};

}  // namespace

Plan plan_by_shares(std::span<const PlanJob> jobs, const PlanLimits& limits,
                    const PlanOptions& options) {
  return ByShares(jobs, limits, options).plan();
}

}  // namespace penstock
