#include "joint/deferral.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/units.h"

namespace penstock {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
constexpr double kAll = 1 - 1e-9;   ///< of a job's work: what is missing is rounding
constexpr double kUsable = 0.95;    ///< of the slices, in future steps
constexpr double kScattered = 0.4;  ///< of them, that a job which needs whole nodes cannot use
constexpr double kMarginToPause = 0.05;
constexpr std::size_t kNobody = ~std::size_t{0};

double least_seconds(const DeferrableJob& job) {
  double least = kImpossible;
  for (const DeferrableWay& way : job.ways) least = std::min(least, way.seconds);
  return least;
}

/// More of a job's work done in one step, by a quicker way than before or by any at all.
struct Increment {
  double slope = 0;  ///< money for all the job's work, at what this part of it counts
  double worth = 0;  ///< the same at what it costs: the present counts less than it costs
  std::size_t step = 0;
  std::size_t way = 0;
  double share = 0;  ///< of the work that the step then holds more
};

/// How much of a job's work one way does in one step, and for how much.
struct Point {
  double share = 0;
  double cost = 0;
  std::size_t way = 0;
};

class Deferrer {
 public:
  Deferrer(const std::vector<PriceStep>& steps, const DeferralSettings& settings)
      : steps_(steps), settings_(settings) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      auto& free = free_.emplace_back(settings.slices);
      const double usable = s == 0 ? 1 : std::max(0.0, kUsable - settings.arriving);
      for (double& slices : free) slices *= usable * (steps[s].end - steps[s].begin);
    }
  }

  Deferral place(const DeferrableJob& job) {
    return job.in_one_piece ? place_whole(job) : place_pieces(job);
  }

 private:
  double length(std::size_t step, double left) const {
    return std::min(steps_[step].end, left) - steps_[step].begin;
  }

  /// Slice-seconds of a step that a job can count on; the larger it is, the fewer.
  double room(std::size_t step, const DeferrableWay& way) const {
    const double free = free_[step][way.type];
    if (step == 0) return free;
    const double all = settings_.slices[way.type] * (steps_[step].end - steps_[step].begin);
    const double part = std::max(0.0, way.slices - settings_.gpu) / settings_.largest[way.type];
    return std::max(0.0, free - kScattered * part * all);
  }

  double rate(const DeferrableWay& way, std::size_t step) const {
    return way.power * steps_[step].price[way.type] + way.rent;
  }

  /// What the present counts less, so that small gains are not waited for: the margin, and of a
  /// job that runs another one and what two restarts cost, spread over the present step.
  double present_factor(const DeferrableJob& job) const {
    if (job.restart <= 0) return 1 - settings_.margin;
    const double lost = 2 * job.restart / std::max(1.0, steps_.front().end);
    return std::max(0.0, 1 - settings_.margin - kMarginToPause - lost);
  }

  /// Ways in one step from none to the one that does most, without those that cost more than a
  /// mixture of others.
  void find_hull(const DeferrableJob& job, std::size_t step) {
    points_.clear();
    const double most = length(step, job.left);
    for (std::size_t w = 0; w < job.ways.size(); ++w) {
      const DeferrableWay& way = job.ways[w];
      const double held = std::min(most, room(step, way) / way.slices);
      if (held < most / 2) continue;  // others have the GPUs
      points_.push_back({held / way.seconds, rate(way, step) * held / kSecondsPerHour, w});
    }
    std::ranges::sort(points_, {}, [](const Point& it) { return std::pair(it.share, it.cost); });
    hull_.assign(1, Point{});
    for (const Point& next : points_) {
      if (next.share <= hull_.back().share) continue;
      while (hull_.size() > 1 &&
             slope(hull_[hull_.size() - 2], hull_.back()) >= slope(hull_.back(), next))
        hull_.pop_back();
      hull_.push_back(next);
    }
  }

  static double slope(const Point& from, const Point& to) {
    return (to.cost - from.cost) / (to.share - from.share);
  }

  void find_increments(const DeferrableJob& job) {
    increments_.clear();
    for (std::size_t s = 0; s < steps_.size() && steps_[s].begin < job.left; ++s) {
      find_hull(job, s);
      const double factor = s == 0 ? present_factor(job) : 1;
      for (std::size_t i = 1; i < hull_.size(); ++i) {
        const double worth = slope(hull_[i - 1], hull_[i]);
        increments_.push_back(
            {factor * worth, worth, s, hull_[i].way, hull_[i].share - hull_[i - 1].share});
      }
    }
    std::ranges::sort(increments_, {},
                      [](const Increment& it) { return std::pair(it.slope, it.step); });
  }

  Deferral place_pieces(const DeferrableJob& job) {
    find_increments(job);
    way_in_.assign(steps_.size(), kNobody);
    Deferral found;
    double done = 0;
    for (const Increment& it : increments_) {
      way_in_[it.step] = it.way;
      done += it.share;
      found.worth = std::max(found.worth.value_or(0), it.worth);
      if (done >= kAll) break;
    }
    if (done < kAll) return in_time_no_more(job);
    take_steps(job, found);
    return found;
  }

  /// The job must run at once; it takes the GPUs that it needs least of.
  Deferral in_time_no_more(const DeferrableJob& job) {
    const auto used = [](const DeferrableWay& way) { return way.slices * way.seconds; };
    const DeferrableWay& way = *std::ranges::min_element(job.ways, {}, used);
    visit_run(0, way.seconds, [&](std::size_t s, double inside) { take(s, way, inside); });
    return {};
  }

  /// Whether the present would cost more, had others not taken it.
  bool now_is_dearer(const DeferrableJob& job, double worth) const {
    double least = kImpossible;
    for (const DeferrableWay& way : job.ways)
      least = std::min(least, rate(way, 0) * way.seconds / kSecondsPerHour);
    return least * present_factor(job) > worth;
  }

  /// The steps that were chosen are used from the first on until the job has ended.
  void take_steps(const DeferrableJob& job, Deferral& found) {
    const bool starts = way_in_.front() != kNobody;
    found.waits = !starts && now_is_dearer(job, *found.worth);
    double done = 0;
    for (std::size_t s = 0; s < steps_.size() && done < kAll; ++s) {
      const bool runs = way_in_[s] != kNobody;
      if (s > 0 && !found.again && runs != starts) found.again = steps_[s].begin;
      if (!runs) continue;
      const DeferrableWay& way = job.ways[way_in_[s]];
      const double held = std::min(length(s, job.left), room(s, way) / way.slices);
      const double used = std::min(held, (1 - done) * way.seconds);
      done += used / way.seconds;
      take(s, way, used);
    }
  }

  void take(std::size_t step, const DeferrableWay& way, double seconds) {
    double& free = free_[step][way.type];
    free = std::max(0.0, free - way.slices * seconds);
  }

  /// Calls visit(step, seconds) for each step in which a run from `begin` on lies.
  template <class Visit>
  void visit_run(double begin, double seconds, Visit visit) const {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const double inside =
          std::min(steps_[s].end, begin + seconds) - std::max(steps_[s].begin, begin);
      if (inside > 0) visit(s, inside);
    }
  }

  /// What a run from `begin` on costs; endless if it is late or others have the GPUs.
  double cost_of_run(const DeferrableJob& job, const DeferrableWay& way, double begin) const {
    if (begin + way.seconds > std::min(job.left, steps_.back().end)) return kImpossible;
    double cost = 0;
    visit_run(begin, way.seconds, [&](std::size_t s, double inside) {
      if (room(s, way) < way.slices * inside) cost = kImpossible;
      cost += rate(way, s) * inside / kSecondsPerHour;
    });
    return cost;
  }

  Deferral place_whole(const DeferrableJob& job) {
    Deferral found;
    double least = kImpossible;
    const DeferrableWay* best = nullptr;
    for (const PriceStep& step : steps_)
      for (const DeferrableWay& way : job.ways) {
        const double cost = cost_of_run(job, way, step.begin);
        const double counted = step.begin > 0 ? cost : cost * (1 - settings_.margin);
        if (counted >= least) continue;
        least = counted;
        best = &way;
        found = {.waits = step.begin > 0, .worth = cost, .again = {}};
        if (found.waits) found.again = step.begin;
      }
    if (best == nullptr) return in_time_no_more(job);
    visit_run(found.again.value_or(0), best->seconds,
              [&](std::size_t s, double inside) { take(s, *best, inside); });
    return found;
  }

  const std::vector<PriceStep>& steps_;
  const DeferralSettings& settings_;
  std::vector<std::vector<double>> free_;  ///< slice-seconds by step, then type
  std::vector<Point> points_;
  std::vector<Point> hull_;
  std::vector<Increment> increments_;
  std::vector<std::size_t> way_in_;  ///< by step: of the job in hand; kNobody where it waits
};

}  // namespace

std::vector<Deferral> defer_jobs(const std::vector<DeferrableJob>& jobs,
                                 const std::vector<PriceStep>& steps,
                                 const DeferralSettings& settings) {
  std::vector<Deferral> found(jobs.size());
  if (steps.empty()) return found;
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t j) { return jobs[j].left - least_seconds(jobs[j]); });
  Deferrer deferrer(steps, settings);
  for (const std::size_t j : order) found[j] = deferrer.place(jobs[j]);
  return found;
}

}  // namespace penstock
