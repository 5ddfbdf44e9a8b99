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
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/elastic/energy_forecast.h"

namespace penstock {
namespace {

/// As if so many more jobs were always there, each with more to do: others will come, and wait
/// behind those there are. Chosen on the traces for tuning (data/studies/powerflow/cases.toml);
/// between 4 and 16 results hardly differ.
constexpr double kJobsBehind = 8;
/// Elasticity is measured from a job's least GPUs to so many times as many.
constexpr std::uint32_t kElasticUpTo = 16;
/// Beyond it no clock and no number of GPUs changes any more.
constexpr double kMostForPower = 1e8 / kJoulesPerKwh;
/// How close to the least price that keeps a limit the one found is, as a factor.
constexpr double kClose = 1.05;
/// Of the jobs that wait for several GPUs so many are tried before all others.
constexpr std::size_t kLargeTried = 4;
constexpr double kLeastElasticity = 0.05;
/// Jobs that cannot use more GPUs, or use them all well, delay others for as long as they run.
constexpr double kMostElasticity = 0.95;

/// What all jobs of a curve have in common.
struct CurveTraits {
  std::uint32_t reference = 0;  ///< the way with the least GPUs at the highest clock
  double elasticity = kMostElasticity;
};

CurveTraits traits_of(const Curve& curve) {
  const Curve::Level& least = curve.levels().front();
  CurveTraits traits{.reference = least.first + least.count - 1};
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

/// One way of one job, as far as it does not depend on the price.
struct WayUse {
  double seconds = 0;  ///< to the job's end, with a restart where it needs one
  double watts = 0;    ///< with its part of the nodes
  double joules = 0;   ///< to the job's end
};

/// A number of GPUs worth choosing, on the concave hull of value over GPUs.
struct HullPoint {
  std::uint32_t gpus = 0;
  std::uint32_t way = 0;
  double value = 0;  ///< by the second
};

struct ValueStep {
  double gain = 0;  ///< for each GPU
  std::uint32_t job = 0;
  std::uint32_t to = 0;                           ///< index in the hull of the job
  bool operator<(const ValueStep& other) const {  // priority_queue keeps the largest on top
    return std::tuple(gain, other.job) < std::tuple(other.gain, job);
  }
};

class ByValue {
 public:
  ByValue(std::span<const PlanJob> jobs, const PlanLimits& limits) : jobs_(jobs), limits_(limits) {
    measure_ways();
    weigh_delays();
  }

  /// Within the GPUs alone, or within all limits.
  Plan plan(double price, bool within_all) {
    price_ = price;
    within_all_ = within_all;
    hulls_.clear();
    first_point_.clear();
    values_.clear();
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) add_hull(i);
    fill(std::nullopt);
    if (within_all) let_large_jobs_in();
    return plan_;
  }

  /// Jobs that wait need energy too, at least that of their thriftiest ways.
  bool keeps_limits() const {
    Joules energy = used_.energy;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (!plan_[i]) energy += Joules(thriftiest_[i]);
    return used_.power <= limits_.power && energy <= limits_.energy;
  }

 private:
  void measure_ways() {
    first_way_.reserve(jobs_.size());
    for (const PlanJob& job : jobs_) {
      first_way_.push_back(ways_.size());
      double thriftiest = std::numeric_limits<double>::infinity();
      for (const Way& way : job.curve->ways()) {
        const double time = std::max(seconds(time_ahead(job, way)), 1e-3);
        const double watts = (way.draw + way.nodes).value();
        ways_.push_back({time, watts, watts * time});
        thriftiest = std::min(thriftiest, watts * time);
      }
      thriftiest_.push_back(thriftiest);
    }
  }

  /// Gives GPUs away step by step; to one job before all others, if there is such a one.
  void fill(std::optional<std::uint32_t> first) {
    used_ = {};
    plan_.assign(jobs_.size(), std::nullopt);
    if (first) change(*first, hull_of(*first)[1].way);
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) offer(i, plan_[i] ? 2 : 1);
    while (!steps_.empty()) {
      const ValueStep step = steps_.top();
      steps_.pop();
      take(step);
    }
  }

  /// A job that needs many GPUs at least finds them free only if it is asked before others: the
  /// plan with one such job first is taken instead if it is worth more.
  void let_large_jobs_in() {
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (!plan_[i] && jobs_[i].curve->way(0).gpus > 1 && hull_of(i).size() > 1) large.push_back(i);
    const std::size_t tried = std::min(kLargeTried, large.size());
    std::ranges::partial_sort(large, large.begin() + static_cast<std::ptrdiff_t>(tried),
                              std::ranges::greater{},
                              [&](std::uint32_t i) { return hull_of(i)[1].value; });
    Plan best = plan_;
    PlanRoom::Use used = used_;
    double most = worth();
    for (std::size_t i = 0; i < tried; ++i) {
      fill(large[i]);
      const double here = worth();
      if (here <= most) continue;
      most = here;
      best = plan_;
      used = used_;
    }
    plan_ = std::move(best);
    used_ = used;
  }

  /// Of the whole plan, by the second.
  double worth() const {
    double sum = 0;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
      if (plan_[i]) sum += rate(values_[i], ways_of(i)[*plan_[i]]);
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
    for (const WayUse& way : ways_of(job))
      alone = std::min(alone, way.seconds + price_ * way.joules);
    const double crowded = delays_[job] + price_ * thriftiest_[job];
    return std::max(alone, crowded);
  }

  double rate(double value, const WayUse& way) const {
    return value / way.seconds - price_ * way.watts;
  }

  /// The way with the most value at a level, as a point of a hull.
  HullPoint best_of(const Curve::Level& level, std::span<const WayUse> ways, double value) const {
    HullPoint best{.gpus = level.gpus, .way = level.first, .value = rate(value, ways[level.first])};
    for (std::uint32_t i = level.first + 1; i < level.first + level.count; ++i)
      if (const double here = rate(value, ways[i]); here > best.value)
        best.way = i, best.value = here;
    return best;
  }

  void add_hull(std::uint32_t job) {
    const auto ways = ways_of(job);
    const double value = values_.emplace_back(value_of(job));
    const auto begin = static_cast<std::ptrdiff_t>(hulls_.size());
    first_point_.push_back(hulls_.size());
    hulls_.emplace_back();  // without GPUs it gains nothing
    for (const Curve::Level& level : jobs_[job].curve->levels()) {
      const HullPoint point = best_of(level, ways, value);
      if (point.value <= hulls_.back().value) continue;
      while (std::ssize(hulls_) - begin > 1 && is_below(hulls_.back(), hulls_.end()[-2], point))
        hulls_.pop_back();
      hulls_.push_back(point);
    }
  }

  /// Whether a point is not above the line between its neighbours.
  static bool is_below(const HullPoint& point, const HullPoint& before, const HullPoint& after) {
    return (point.value - before.value) * (after.gpus - before.gpus) <=
           (after.value - before.value) * (point.gpus - before.gpus);
  }

  std::span<const HullPoint> hull_of(std::uint32_t job) const {
    const std::size_t end = job + 1 < first_point_.size() ? first_point_[job + 1] : hulls_.size();
    return std::span(hulls_).subspan(first_point_[job], end - first_point_[job]);
  }

  void offer(std::uint32_t job, std::uint32_t to) {
    const auto hull = hull_of(job);
    if (to >= hull.size()) return;
    const HullPoint& from = hull[to - 1];
    steps_.push({(hull[to].value - from.value) / (hull[to].gpus - from.gpus), job, to});
  }

  PlanRoom::Use use_of(std::uint32_t job, std::uint32_t way) const {
    const Way& w = jobs_[job].curve->way(way);
    return {w.gpus, w.draw, Joules(ways_of(job)[way].joules)};
  }

  bool fits(const PlanRoom::Use& more, const PlanRoom::Use& less) const {
    if (used_.gpus + more.gpus - less.gpus > limits_.gpus) return false;
    return !within_all_ || (used_.power + more.power - less.power <= limits_.power &&
                            used_.energy + more.energy - less.energy <= limits_.energy);
  }

  void take(const ValueStep& step) {
    const HullPoint& point = hull_of(step.job)[step.to];
    if (change(step.job, point.way)) return offer(step.job, step.to + 1);
    if (const auto instead = best_that_fits(step.job, point.gpus)) change(step.job, *instead);
  }

  bool change(std::uint32_t job, std::uint32_t way) {
    const PlanRoom::Use after = use_of(job, way);
    const PlanRoom::Use before = plan_[job] ? use_of(job, *plan_[job]) : PlanRoom::Use{};
    if (!fits(after, before)) return false;
    used_.gpus += after.gpus - before.gpus;
    used_.power += after.power - before.power;
    used_.energy += after.energy - before.energy;
    plan_[job] = way;
    return true;
  }

  /// Of the ways with at most so many GPUs the one with the most value for which there is room, if
  /// it has more than the one the job has. No job waits beside GPUs that it could use.
  std::optional<std::uint32_t> best_that_fits(std::uint32_t job, std::uint32_t gpus) const {
    const auto ways = ways_of(job);
    const PlanRoom::Use before = plan_[job] ? use_of(job, *plan_[job]) : PlanRoom::Use{};
    double most = plan_[job] ? rate(values_[job], ways[*plan_[job]])
                             : -std::numeric_limits<double>::infinity();
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < ways.size() && jobs_[job].curve->way(i).gpus <= gpus; ++i) {
      const double here = rate(values_[job], ways[i]);
      if (here <= most || !fits(use_of(job, i), before)) continue;
      most = here;
      best = i;
    }
    return best;
  }

  std::span<const PlanJob> jobs_;
  const PlanLimits& limits_;
  std::vector<WayUse> ways_;            ///< of all jobs
  std::vector<std::size_t> first_way_;  ///< of each job
  std::vector<double> thriftiest_;      ///< of each job: the least joules to its end
  std::vector<double> delays_;          ///< of each job, in seconds
  std::vector<double> values_;          ///< of each job, at the price, in seconds
  double price_ = 0;                    ///< seconds for a joule
  bool within_all_ = true;
  std::vector<HullPoint> hulls_;          ///< of all jobs
  std::vector<std::size_t> first_point_;  ///< of each job
  std::priority_queue<ValueStep> steps_;  ///< at most one of each job
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
  return ByValue(jobs, limits).plan(options.energy_price, true);
}

PricedPlan plan_within(std::span<const PlanJob> jobs, const PlanLimits& limits,
                       const PlanOptions& options, double near) {
  ByValue by_value(jobs, limits);
  const auto keeps = [&](double price) {
    by_value.plan(price, false);
    return by_value.keeps_limits();
  };
  const double price = least_price(keeps, options.energy_price, near);
  return {by_value.plan(price, true), price};
}

}  // namespace penstock
