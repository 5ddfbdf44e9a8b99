#include "policies/elastic/plan_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "policies/elastic/plan_room.h"

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What one unit of each is worth, as a share of what is left of it.
struct Shares {
  double gpu = 0;
  double watt = 0;
  double joule = 0;
};

double share(double left) {
  return std::isfinite(left) && left > 0 ? 1 / left : 0;
}

/// A way of one job, with all that ranks it.
struct Choice {
  double time = 0;  ///< seconds
  double cost = 0;
  PlanRoom::Use use{};
};

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
        weight_(jobs.size(), 1),
        is_cramped_(jobs.size(), 0) {
    const PlanRoom::Use& used = room_.used();
    shares_ = {share(static_cast<double>(limits.gpus) - used.gpus),
               share((limits.power - used.power).value()),
               share((limits.energy - used.energy).value())};
    first_.reserve(jobs.size());
    for (std::uint32_t i = 0; i < jobs.size(); ++i) add_choices(i);
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
  void add_choices(std::uint32_t job) {
    first_.push_back(choices_.size());
    if (!plan_[job]) return;
    const auto ways = jobs_[job].curve->ways();
    const double most = most_joules(*jobs_[job].curve);
    for (std::uint32_t i = 0; i < ways.size(); ++i) {
      const PlanRoom::Use use = room_.use_of(job, i);
      const bool pays = i == 0 || joules_per_work(ways[i]) <= most;  // the first it has anyway
      const double time = pays ? seconds(time_ahead(jobs_[job], ways[i])) : kInfinity;
      choices_.push_back({time, cost_of(use), use});
    }
  }

  std::span<const Choice> choices_of(std::uint32_t job) const {
    return {choices_.begin() + static_cast<std::ptrdiff_t>(first_[job]),
            jobs_[job].curve->ways().size()};
  }

  /// The best of the steps of a job; once one of them did not fit, of those that do.
  void offer(std::uint32_t job) {
    const auto choices = choices_of(job);
    const Choice& now = choices[*plan_[job]];
    Step best{.job = job, .to = *plan_[job]};
    for (std::uint32_t to = 0; to < choices.size(); ++to) {
      const Choice& then = choices[to];
      const double gain = now.time - then.time;
      if (gain <= 0 || (is_cramped_[job] && !room_.fits(then.use, now.use))) continue;
      const double cost = then.cost - now.cost;
      const bool is_free = cost <= 0;
      const double rank = is_free ? gain : gain / cost;
      if (std::pair(is_free, rank) > std::pair(best.is_free, best.rank))
        best = {is_free, rank, job, to};
    }
    if (best.to == *plan_[job]) return;
    best.rank *= weight_[job];
    steps_.push(best);
  }

  /// For a unit of work: what the way needs that is the best for the price of energy. Ways
  /// that need more save less time than their energy is worth.
  double most_joules(const Curve& curve) const {
    if (options_.energy_price == 0) return kInfinity;
    return joules_per_work(curve.cheapest(options_.energy_price)) * (1 + 1e-9);
  }

  void take(const Step& step) {
    const auto choices = choices_of(step.job);
    const PlanRoom::Use& before = choices[*plan_[step.job]].use;
    const PlanRoom::Use& after = choices[step.to].use;
    if (!room_.fits(after, before)) {
      is_cramped_[step.job] = 1;
      return;
    }
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
  std::vector<double> weight_;    ///< of each job's time
  std::vector<char> is_cramped_;  ///< of each job: did a step of it not fit?
  Shares shares_;
  std::vector<Choice> choices_;      ///< of all jobs that run
  std::vector<std::size_t> first_;   ///< of each job's choices
  std::priority_queue<Step> steps_;  ///< at most one of each job
};

}  // namespace

Plan plan_by_shares(std::span<const PlanJob> jobs, const PlanLimits& limits,
                    const PlanOptions& options) {
  return ByShares(jobs, limits, options).plan();
}

}  // namespace penstock
