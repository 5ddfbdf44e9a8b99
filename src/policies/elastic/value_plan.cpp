// The value of work. With V(x) the least sum of completion times and priced energy from now on, x
// being the remaining work of each job, the best way to run is the one that maximises
//     sum over jobs of  dV/dx · speed − price · draw
// within the GPUs. dV/dx is not known, and is estimated from two cases in which it is:
//   alone    min over ways of (1 + price · draw) / speed: nobody waits, only its own time counts
//   crowded  delay_weight / speed on all GPUs + price · energy for the work: heSRPT's optimum for
//            jobs whose speed grows by a power of their GPUs
// and the larger of the two is taken: jobs that cannot use all GPUs are not in each other's way.
#include "policies/elastic/value_plan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "policies/elastic/energy_forecast.h"

namespace penstock {
namespace {

/// Elasticity is measured from a job's least GPUs to so many times as many.
constexpr std::uint32_t kElasticUpTo = 16;
/// Beyond it no clock and no number of GPUs changes any more.
constexpr double kMostForPower = 1e8 / kJoulesPerKwh;
/// How close to the least price that keeps a limit the one found is, as a factor.
constexpr double kClose = 1.05;
/// Of the jobs that wait for several GPUs so many are tried before all others.
constexpr std::size_t kLargeTried = 4;
/// So few steps are sorted without looking whether all of them can be taken.
constexpr std::size_t kSortedAtOnce = 32;
constexpr double kLeastElasticity = 0.05;
/// Jobs that cannot use more GPUs, or use them all well, delay others for as long as they run.
constexpr double kMostElasticity = 0.95;

}  // namespace

CurveTraits traits_of(const Curve& curve) {
  const Curve::Level& least = curve.levels().front();
  CurveTraits traits{.reference = least.first + least.count - 1, .elasticity = kMostElasticity};
  const Way& from = curve.way(traits.reference);
  const Way* best = &from;
  for (const Way& way : curve.ways())
    if (way.gpus <= kElasticUpTo * from.gpus && way.speed > best->speed) best = &way;
  if (best->gpus <= from.gpus) return traits;
  const double elasticity =
      std::log(best->speed.value() / from.speed.value()) / std::log(double(best->gpus) / from.gpus);
  traits.elasticity = std::clamp(elasticity, kLeastElasticity, kMostElasticity);
  return traits;
}

namespace {

/// One way of one job, as far as it does not depend on the price.
struct WayUse {
  double seconds = 0;  ///< to the job's end, with a restart where it needs one
  double watts = 0;    ///< with its part of the nodes
  double joules() const { return watts * seconds; }
};

/// What a job's end costs in a way.
struct WayCost {
  double seconds = 0;
  double joules = 0;
};

/// A number of GPUs, and the way with the most value on them.
struct ValuePoint {
  std::uint32_t gpus = 0;
  std::uint32_t way = 0;
  double value = 0;  ///< by the second
};

/// What all ways of all jobs are worth at a price of energy.
struct PricedWays {
  double price = -1;                 ///< seconds for a joule
  std::vector<double> values{};      ///< of each job, in seconds
  std::vector<ValuePoint> points{};  ///< of each level of each job
};

struct ValueStep {
  double gain = 0;  ///< for each GPU, at most that of the job's step before
  std::uint32_t job = 0;
  std::uint32_t to = 0;    ///< index in the hull of the job
  std::uint32_t gpus = 0;  ///< more than before
  /// Whether it is taken before another.
  bool operator<(const ValueStep& other) const {
    return gain != other.gain ? gain > other.gain
                              : std::pair(job, to) < std::pair(other.job, other.to);
  }
};

class ByValue {
 public:
  ByValue(std::span<const PlanJob> jobs, const PlanLimits& limits) : jobs_(jobs), limits_(limits) {
    measure_ways();
    weigh_delays();
  }

  /// Within all limits.
  Plan plan(double price) {
    value_ways(price);
    if (!give_all_the_best(true)) {
      find_steps();
      fill(true, std::nullopt);
      let_large_jobs_in();
    }
    return std::move(plan_);
  }

  /// Whether a plan within the GPUs alone keeps the limits of power and energy.
  bool keeps_limits(double price) {
    value_ways(price);
    if (!give_all_the_best(false)) {
      find_steps();
      fill(false, std::nullopt);
    }
    // Jobs that wait need energy too, at least that of their thriftiest ways.
    Joules energy = used_.energy;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (!plan_[i]) energy += Joules(thriftiest_[i]);
    const bool keeps = used_.power <= limits_.power && energy <= limits_.energy;
    if (keeps) std::swap(priced_, kept_);
    return keeps;
  }

 private:
  void measure_ways() {
    std::size_t ways = 0;
    for (const PlanJob& job : jobs_) {
      first_way_.push_back(ways);
      first_level_.push_back(levels_);
      ways += job.curve->ways().size();
      levels_ += job.curve->levels().size();
    }
    ways_.resize(ways);
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) measure_ways(i);
    first_cost_.push_back(costs_.size());
  }

  void measure_ways(std::uint32_t job) {
    const Curve& curve = *jobs_[job].curve;
    const std::span ways = std::span(ways_).subspan(first_way_[job], curve.ways().size());
    first_cost_.push_back(costs_.size());
    WayCost thriftiest{.joules = std::numeric_limits<double>::infinity()};
    for (const std::uint32_t i : curve.fastest_first()) {
      const Way& way = curve.way(i);
      const double time = std::max(seconds(time_ahead(jobs_[job], way)), 1e-3);
      const double watts = (way.draw + way.nodes).value();
      ways[i] = {time, watts};
      const WayCost cost{time, ways[i].joules()};
      if (cost.joules >= thriftiest.joules && time >= thriftiest.seconds) continue;
      costs_.push_back(cost);
      if (cost.joules < thriftiest.joules) thriftiest = cost;
    }
    thriftiest_.push_back(thriftiest.joules);
  }

  /// Gives every job the way with the most value: what steps lead to if all of them fit. False if
  /// perhaps not all of them do.
  bool give_all_the_best(bool within_all) {
    used_ = {};
    plan_.assign(jobs_.size(), std::nullopt);
    PlanRoom::Use most;  // of power and energy, whatever steps were taken already
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      PlanRoom::Use best;
      PlanRoom::Use most_here;
      double value = 0;
      for (const ValuePoint& point : points_of(i)) {
        if (point.value <= value) continue;
        value = point.value;
        plan_[i] = point.way;
        best = use_of(i, point.way);
        most_here.power = std::max(most_here.power, best.power);
        most_here.energy = std::max(most_here.energy, best.energy);
      }
      add(used_, best);
      add(most, most_here);
      if (used_.gpus > limits_.gpus) return false;
    }
    return !within_all || (most.power <= limits_.power && most.energy <= limits_.energy);
  }

  static void add(PlanRoom::Use& sum, const PlanRoom::Use& more) {
    sum.gpus += more.gpus;
    sum.power += more.power;
    sum.energy += more.energy;
  }

  /// Gives GPUs away step by step; to one job before all others, if there is such a one.
  void fill(bool within_all, std::optional<std::uint32_t> first) {
    within_all_ = within_all;
    used_ = {};
    plan_.assign(jobs_.size(), std::nullopt);
    next_.assign(jobs_.size(), 1);
    if (first && change(*first, hull_of(*first)[1].way)) next_[*first] = 2;
    only_gpus_count_ = !first && (!within_all || !(std::isfinite(limits_.power.value()) ||
                                                   std::isfinite(limits_.energy.value())));
    take_in_order(steps_);
  }

  /// Sorts only as far as it must, and stops when no GPU is left: no job has a better way on the
  /// GPUs that it has.
  void take_in_order(std::span<ValueStep> steps) {
    if (steps.empty() || used_.gpus == limits_.gpus) return;
    if (steps.size() <= kSortedAtOnce) {
      std::sort(steps.begin(), steps.end());
      for (const ValueStep& step : steps)
        if (next_[step.job] == step.to) take(step);
      return;
    }
    const auto middle = steps.begin() + std::ssize(steps) / 2;
    std::nth_element(steps.begin(), middle, steps.end());
    const std::span better(steps.begin(), middle);
    if (!only_gpus_count_ || !take_all(better)) take_in_order(better);
    take_in_order({middle, steps.end()});
  }

  /// In whatever order they are, if the GPUs suffice for all; none of them if not.
  bool take_all(std::span<const ValueStep> steps) {
    std::uint64_t gpus = used_.gpus;
    for (const ValueStep& step : steps) gpus += step.gpus;
    if (gpus > limits_.gpus) return false;
    for (const ValueStep& step : steps) {
      const auto hull = hull_of(step.job);
      move_use(use_of(step.job, hull[step.to].way),
               step.to == 1 ? PlanRoom::Use{} : use_of(step.job, hull[step.to - 1].way));
      if (step.to < next_[step.job]) continue;
      next_[step.job] = step.to + 1;
      plan_[step.job] = hull[step.to].way;
    }
    return true;
  }

  /// A job that needs many GPUs at least finds them free only if it is asked before others: the
  /// plan with one such job first is taken instead if it is worth more.
  void let_large_jobs_in() {
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (!plan_[i] && jobs_[i].curve->way(0).gpus > 1 && hull_of(i).size() > 1) large.push_back(i);
    if (large.empty()) return;
    const std::size_t tried = std::min(kLargeTried, large.size());
    std::ranges::partial_sort(large, large.begin() + static_cast<std::ptrdiff_t>(tried),
                              std::ranges::greater{},
                              [&](std::uint32_t i) { return hull_of(i)[1].value; });
    Plan best = plan_;
    double most = worth();
    for (std::size_t i = 0; i < tried; ++i) {
      fill(true, large[i]);
      const double here = worth();
      if (here <= most) continue;
      most = here;
      best = plan_;
    }
    plan_ = std::move(best);
  }

  /// Of the whole plan, by the second.
  double worth() const {
    double sum = 0;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (plan_[i]) sum += rate(priced_.values[i], ways_of(i)[*plan_[i]]);
    return sum;
  }

  std::span<const WayUse> ways_of(std::uint32_t job) const {
    return std::span(ways_).subspan(first_way_[job], jobs_[job].curve->ways().size());
  }

  /// By how long all jobs are delayed if a job needs its whole time on its least GPUs.
  void weigh_delays() {
    std::vector<double> sizes;
    std::vector<CurveTraits> traits;
    std::map<const Curve*, CurveTraits> known;  // never gone through: addresses have no order
    for (const PlanJob& job : jobs_) {
      const auto [at, is_new] = known.try_emplace(job.curve);
      if (is_new) at->second = traits_of(*job.curve);
      traits.push_back(at->second);
      const Duration start = job.gpus_now == 0 ? job.restart : Duration::zero();
      sizes.push_back(seconds(job.left / job.curve->way(at->second.reference).speed + start));
    }
    std::vector<std::uint32_t> order(jobs_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, std::ranges::greater{},
                      [&](std::uint32_t i) { return std::pair(sizes[i], i); });
    delays_.resize(jobs_.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::uint32_t i = order[at];
      const double least = jobs_[i].curve->way(traits[i].reference).gpus;
      const double on_all = std::pow(std::max(1.0, limits_.gpus / least), traits[i].elasticity);
      const double rank = static_cast<double>(at) + 1 + kJobsBehind;
      delays_[i] = sizes[i] * delay_weight(rank, traits[i].elasticity) / on_all;
    }
  }

  /// What it is worth to all jobs that a job's remaining work is done.
  double value_of(std::uint32_t job) const {
    double alone = std::numeric_limits<double>::infinity();
    for (std::size_t i = first_cost_[job]; i < first_cost_[job + 1]; ++i)
      alone = std::min(alone, costs_[i].seconds + priced_.price * costs_[i].joules);
    const double crowded = delays_[job] + priced_.price * thriftiest_[job];
    return std::max(alone, crowded);
  }

  double rate(double value, const WayUse& way) const {
    return value / way.seconds - priced_.price * way.watts;
  }

  /// The way with the most value at a level.
  ValuePoint best_of(const Curve::Level& level, std::span<const WayUse> ways, double value) const {
    std::uint32_t best = level.first;
    double most = rate(value, ways[best]);
    for (std::uint32_t i = level.first + 1; i < level.first + level.count; ++i) {
      const double here = rate(value, ways[i]);
      if (here <= most) continue;
      most = here;
      best = i;
    }
    return {level.gpus, best, most};
  }

  /// The price that was the last to keep the limits needs no work.
  void value_ways(double price) {
    if (kept_.price == price) return std::swap(priced_, kept_);
    priced_.price = price;
    priced_.values.resize(jobs_.size());
    priced_.points.resize(levels_);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      const double value = value_of(i);
      const auto ways = ways_of(i);
      priced_.values[i] = value;
      for (const Curve::Level& level : jobs_[i].curve->levels())
        priced_.points[at++] = best_of(level, ways, value);
    }
  }

  std::span<const ValuePoint> points_of(std::uint32_t job) const {
    return std::span(priced_.points).subspan(first_level_[job], jobs_[job].curve->levels().size());
  }

  /// The steps of all jobs, in no order.
  void find_steps() {
    hulls_.clear();
    first_point_.clear();
    steps_.clear();
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      add_hull(i);
      double gain = std::numeric_limits<double>::infinity();
      const auto hull = hull_of(i);
      for (std::uint32_t to = 1; to < hull.size(); ++to) {
        const ValuePoint& from = hull[to - 1];
        const std::uint32_t gpus = hull[to].gpus - from.gpus;
        gain = std::min(gain, (hull[to].value - from.value) / gpus);
        steps_.push_back({gain, i, to, gpus});
      }
    }
  }

  /// The concave hull of value over GPUs: the numbers of GPUs worth choosing.
  void add_hull(std::uint32_t job) {
    const auto begin = static_cast<std::ptrdiff_t>(hulls_.size());
    first_point_.push_back(hulls_.size());
    hulls_.emplace_back();  // without GPUs it gains nothing
    for (const ValuePoint& point : points_of(job)) {
      if (point.value <= hulls_.back().value) continue;
      while (std::ssize(hulls_) - begin > 1 && is_below(hulls_.back(), hulls_.end()[-2], point))
        hulls_.pop_back();
      hulls_.push_back(point);
    }
  }

  /// Whether a point is not above the line between its neighbours.
  static bool is_below(const ValuePoint& point, const ValuePoint& before, const ValuePoint& after) {
    return (point.value - before.value) * (after.gpus - before.gpus) <=
           (after.value - before.value) * (point.gpus - before.gpus);
  }

  std::span<const ValuePoint> hull_of(std::uint32_t job) const {
    const std::size_t end = job + 1 < first_point_.size() ? first_point_[job + 1] : hulls_.size();
    return std::span(hulls_).subspan(first_point_[job], end - first_point_[job]);
  }

  PlanRoom::Use use_of(std::uint32_t job, std::uint32_t way) const {
    const Way& w = jobs_[job].curve->way(way);
    return {w.gpus, w.draw, Joules(ways_of(job)[way].joules())};
  }

  bool fits(const PlanRoom::Use& more, const PlanRoom::Use& less) const {
    if (used_.gpus + more.gpus - less.gpus > limits_.gpus) return false;
    return !within_all_ || (used_.power + more.power - less.power <= limits_.power &&
                            used_.energy + more.energy - less.energy <= limits_.energy);
  }

  void take(const ValueStep& step) {
    const ValuePoint& point = hull_of(step.job)[step.to];
    if (change(step.job, point.way)) {
      ++next_[step.job];
      return;
    }
    next_[step.job] = 0;
    if (const auto instead = best_that_fits(step.job, point.gpus)) change(step.job, *instead);
  }

  bool change(std::uint32_t job, std::uint32_t way) {
    const PlanRoom::Use after = use_of(job, way);
    const PlanRoom::Use before = plan_[job] ? use_of(job, *plan_[job]) : PlanRoom::Use{};
    if (!fits(after, before)) return false;
    move_use(after, before);
    plan_[job] = way;
    return true;
  }

  void move_use(const PlanRoom::Use& after, const PlanRoom::Use& before) {
    used_.gpus += after.gpus - before.gpus;
    used_.power += after.power - before.power;
    used_.energy += after.energy - before.energy;
  }

  /// Of the ways with at most so many GPUs the one with the most value for which there is room, if
  /// it has more than the one the job has. No job waits beside GPUs that it could use.
  std::optional<std::uint32_t> best_that_fits(std::uint32_t job, std::uint32_t gpus) const {
    const auto ways = ways_of(job);
    const PlanRoom::Use before = plan_[job] ? use_of(job, *plan_[job]) : PlanRoom::Use{};
    const double value = priced_.values[job];
    double most =
        plan_[job] ? rate(value, ways[*plan_[job]]) : -std::numeric_limits<double>::infinity();
    std::optional<std::uint32_t> best;
    const auto points = points_of(job);
    for (std::size_t at = 0; at < points.size() && points[at].gpus <= gpus; ++at) {
      if (used_.gpus + points[at].gpus - before.gpus > limits_.gpus) break;
      if (points[at].value <= most) continue;
      const Curve::Level& level = jobs_[job].curve->levels()[at];
      for (std::uint32_t i = level.first; i < level.first + level.count; ++i) {
        const double here = rate(value, ways[i]);
        if (here <= most || !fits(use_of(job, i), before)) continue;
        most = here;
        best = i;
      }
    }
    return best;
  }

  std::span<const PlanJob> jobs_;
  const PlanLimits& limits_;
  std::vector<WayUse> ways_;              ///< of all jobs
  std::vector<std::size_t> first_way_;    ///< of each job
  std::vector<WayCost> costs_;            ///< of ways that are the cheapest at some price
  std::vector<std::size_t> first_cost_;   ///< of each job, and the end
  std::vector<std::size_t> first_level_;  ///< of each job
  std::size_t levels_ = 0;                ///< of all jobs
  std::vector<double> thriftiest_;        ///< of each job: the least joules to its end
  std::vector<double> delays_;            ///< of each job, in seconds
  PricedWays priced_;
  PricedWays kept_;  ///< at the last price that kept the limits
  bool within_all_ = true;
  bool only_gpus_count_ = false;          ///< while steps are taken
  std::vector<ValuePoint> hulls_;         ///< of all jobs
  std::vector<std::size_t> first_point_;  ///< of each job
  std::vector<ValueStep> steps_;          ///< of all jobs
  std::vector<std::uint32_t> next_;       ///< of each job: the step it may take; 0 for none
  PlanRoom::Use used_;
  Plan plan_;
};

/// The least price from `low` upwards that keeps limits, to kClose; found from `near` outwards.
double least_price(const std::function<bool(double)>& keeps, double low, double near) {
  if (keeps(low)) return low;
  low = std::max(low, kLowestPrice);
  double high = std::max(near, low);
  if (keeps(high)) {
    const double less = std::max(high / kClose, low);
    if (!keeps(less)) return high;
    high = less;
  } else {
    for (double step = kClose; high < kMostForPower; step *= step) {
      low = std::exchange(high, std::min(high * step, kMostForPower));
      if (keeps(high)) break;
    }
  }
  while (high > kClose * low) {
    const double middle = std::sqrt(high * low);
    (keeps(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double delay_weight(double rank, double elasticity) {
  if (rank <= 1) return 1;
  const double omega = 1 / (std::pow(rank / (rank - 1), 1 / (1 - elasticity)) - 1);
  return rank * std::pow(1 + omega, elasticity) - (rank - 1) * std::pow(omega, elasticity);
}

Plan plan_by_value(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options) {
  return ByValue(jobs, limits).plan(options.energy_price);
}

PricedPlan plan_within(std::span<const PlanJob> jobs, const PlanLimits& limits,
                       const PlanOptions& options, double near) {
  ByValue by_value(jobs, limits);
  const auto keeps = [&](double price) { return by_value.keeps_limits(price); };
  const double price = least_price(keeps, options.energy_price, near);
  return {by_value.plan(price), price};
}

}  // namespace penstock
