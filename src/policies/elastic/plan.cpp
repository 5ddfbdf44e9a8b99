#include "policies/elastic/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "policy/reasons.h"

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A step of one job that waits for its turn.
struct PublishedStep {
  double priority = 0;
  double gain_per_gpu = 0;  ///< between steps that cost no energy
  std::uint32_t job = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool operator<(const PublishedStep& other) const {  // priority_queue keeps the largest on top
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
      const PublishedStep step = steps_.top();
      steps_.pop();
      take_or_skip(step);
    }
    return std::move(plan_);
  }

 private:
  PublishedStep step_to(std::uint32_t job, std::uint32_t to) const {
    const PlanJob& j = jobs_[job];
    const Way& from = j.curve->way(*plan_[job]);
    const Way& there = j.curve->way(to);
    const double before = seconds(time_ahead(j, from));
    const double gain = (before - seconds(time_ahead(j, there))) / before;
    return {priority(j, from, there), gain / (1 + there.gpus - from.gpus), job, *plan_[job], to};
  }

  void offer(const PublishedStep& step) {
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

  void take_or_skip(const PublishedStep& step) {
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
  std::priority_queue<PublishedStep> steps_;
};

}  // namespace

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
  const double saved = seconds(time_ahead(job, from) - time_ahead(job, to));
  const double added = (energy_ahead(job, to) - energy_ahead(job, from)).value();
  return added <= 0 || saved > options.energy_price * added;
}

Plan plan_greedily(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options) {
  return Greedy(jobs, limits, options).plan();
}

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

/// A way of one job, with all that ranks it.
struct WayChoice {
  double time = 0;  ///< seconds
  double cost = 0;
  PlanRoom::Use use{};
};

struct ShareStep {
  bool is_free = false;
  double rank = 0;
  std::uint32_t job = 0;
  std::uint32_t to = 0;
  bool operator<(const ShareStep& other) const {  // priority_queue keeps the largest on top
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
      const ShareStep step = steps_.top();
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

  std::span<const WayChoice> choices_of(std::uint32_t job) const {
    return {choices_.begin() + static_cast<std::ptrdiff_t>(first_[job]),
            jobs_[job].curve->ways().size()};
  }

  /// The best of the steps of a job; once one of them did not fit, of those that do.
  void offer(std::uint32_t job) {
    const auto choices = choices_of(job);
    const WayChoice& now = choices[*plan_[job]];
    ShareStep best{.job = job, .to = *plan_[job]};
    for (std::uint32_t to = 0; to < choices.size(); ++to) {
      const WayChoice& then = choices[to];
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

  void take(const ShareStep& step) {
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
  std::vector<WayChoice> choices_;        ///< of all jobs that run
  std::vector<std::size_t> first_;        ///< of each job's choices
  std::priority_queue<ShareStep> steps_;  ///< at most one of each job
};

}  // namespace

Plan plan_by_shares(std::span<const PlanJob> jobs, const PlanLimits& limits,
                    const PlanOptions& options) {
  return ByShares(jobs, limits, options).plan();
}

namespace {

/// What a plan, or the least way of a job, takes of the limits.
struct PlanUse {
  std::uint32_t gpus = 0;
  Watts power{};
  Joules energy{};
};

double kilowatts(Watts power) {
  return power.value() / 1e3;
}

PlanUse plan_use(const PlanJob& job, const Way& way) {
  return {way.gpus, way.draw, energy_ahead(job, way)};
}

PlanUse whole_use(std::span<const PlanJob> jobs, const Plan& plan) {
  PlanUse sum;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!plan[i]) continue;
    const PlanUse use = plan_use(jobs[i], jobs[i].curve->way(*plan[i]));
    sum = {sum.gpus + use.gpus, sum.power + use.power, sum.energy + use.energy};
  }
  return sum;
}

/// "the plan uses 6 of 8 GPUs, 1.20 of 2.00 kW beyond idle"
std::string whole_plan(const PlanUse& sum, const PlanLimits& limits) {
  std::string text = fmt::format("the plan uses {} of {} GPUs", sum.gpus, limits.gpus);
  if (std::isfinite(limits.power.value()))
    text += fmt::format(", {:.2f} of {:.2f} kW beyond idle", kilowatts(sum.power),
                        kilowatts(limits.power));
  if (std::isfinite(limits.energy.value()))
    text += fmt::format(", {:.2f} of {:.2f} kWh", kilowatt_hours(sum.energy),
                        kilowatt_hours(limits.energy));
  return text;
}

std::string running_reason(const PlanJob& job, const Way& way) {
  return fmt::format("{} and {:.2f} kWh to its end", duration_label(time_ahead(job, way)),
                     kilowatt_hours(energy_ahead(job, way)));
}

/// What it would need, where that is limited.
std::string waiting_reason(const PlanJob& job, const PlanLimits& limits) {
  const PlanUse least = plan_use(job, job.curve->way(0));
  std::string text = "needs " + gpus_label(least.gpus);
  if (std::isfinite(limits.power.value()))
    text += fmt::format(", {:.2f} kW", kilowatts(least.power));
  if (std::isfinite(limits.energy.value()))
    text += fmt::format(", {:.2f} kWh", kilowatt_hours(least.energy));
  return text + " at least, and others come first";
}

}  // namespace

std::vector<std::string> plan_reasons(std::span<const PlanJob> jobs, const Plan& plan,
                                      const PlanLimits& limits) {
  const std::string whole = whole_plan(whole_use(jobs, plan), limits);
  std::vector<std::string> words;
  words.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    words.push_back((plan[i] ? running_reason(jobs[i], jobs[i].curve->way(*plan[i]))
                             : waiting_reason(jobs[i], limits)) +
                    "; " + whole);
  return words;
}

}  // namespace penstock
