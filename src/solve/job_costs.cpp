#include "solve/job_costs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/cheapest_shares.h"

namespace penstock {
namespace {

/// A way of doing a unit of work on some pool.
struct Way {
  double seconds = 0;
  double gpu_seconds = 0;
  double cost = 0;  ///< GPUs at their prices included
  std::uint32_t pool = 0;
};

/// Faster work by turning from one way to another, or from none.
struct Pace {
  double cost = 0;   ///< for each unit of work that is done more
  double speed = 0;  ///< units of work that are done more in a second
  const Way* from = nullptr;
  const Way* to = nullptr;
};

/// The cheapest mixtures of ways by how fast they are; each step costs more than the one before.
/// `per_second` is paid beside the ways' costs for as long as they take.
void find_paces(std::span<const Way> ways, double per_second, std::vector<Pace>& paces) {
  paces.clear();
  double speed = 0;
  double paid = 0;  // each second
  const Way* from = nullptr;
  for (;;) {
    Pace best{.cost = kUnbounded};
    for (const Way& way : ways) {
      const double more = 1 / way.seconds - speed;
      if (more <= 1e-12 * speed) continue;
      const double cost = (way.cost / way.seconds + per_second - paid) / more;
      if (cost < best.cost || (cost == best.cost && more > best.speed))
        best = {.cost = cost, .speed = more, .from = from, .to = &way};
    }
    if (best.to == nullptr) return;
    paces.push_back(best);
    from = best.to;
    speed = 1 / from->seconds;
    paid = from->cost / from->seconds + per_second;
  }
}

/// What jobs of a shape can do in a window, for one unit of work.
struct WindowWays {
  std::vector<Way> ways{};
  std::vector<Pace> paces{};
  std::vector<double> at_site{};  ///< the least cost at each, where files are sent
  double earns = 0;  ///< a second, for each unit of a job's width, by holding GPUs without working
};

/// Money a second for holding all GPUs that a job of a shape can have, whatever they do: 0 or more.
double earned_by(const GpuPool& pool, const Use& use, double rate, double scarce) {
  if (rate >= 0) return 0;
  const double gpus = std::min(use.most_gpus, pool.gpus);
  return std::max(0.0, -rate * pool.most_watts(use) - scarce) * gpus;
}

class WaysByWindow {
 public:
  WaysByWindow(const PricedWork& priced, const CapacityPrices& prices)
      : priced_(priced), prices_(prices), at_(priced.windows.size()) {}

  /// Turns to jobs of another shape.
  void show(const BoundedShape& shape) {
    least_ = kUnbounded;
    earns_until_ = 0;
    most_earned_ = 0;
    for (std::size_t w = 0; w < at_.size(); ++w) find(w, shape);
  }

  const WindowWays& operator[](std::size_t w) const { return at_[w]; }
  /// The least cost of a unit in any window.
  double least() const { return least_; }
  /// No window from here on in which something is earned without working.
  std::size_t earns_until() const { return earns_until_; }
  /// In any window, a second.
  double most_earned() const { return most_earned_; }

 private:
  void find(std::size_t w, const BoundedShape& shape) {
    const Machines& machines = priced_.machines;
    WindowWays& choice = at_[w];
    choice.ways.clear();
    choice.earns = 0;
    choice.at_site.assign(priced_.sends() ? priced_.windows.rates.size() : 0, kUnbounded);
    for (std::uint32_t p = 0; p < machines.pools.size(); ++p) {
      const GpuPool& pool = machines.pools[p];
      const Use& use = shape.uses[pool.type];
      if (!use.possible) continue;
      const double rate = priced_.windows.rates[pool.site][w];
      choice.earns = std::max(choice.earns, earned_by(pool, use, rate, scarce(w, p)));
    }
    for (std::uint32_t p = 0; p < machines.pools.size(); ++p) {
      const GpuPool& pool = machines.pools[p];
      const Use& use = shape.uses[pool.type];
      if (use.possible) add_ways(choice, use, p, priced_.windows.rates[pool.site][w], scarce(w, p));
    }
    most_earned_ = std::max(most_earned_, choice.earns);
    if (priced_.wastes_once()) choice.earns = 0;
    if (choice.earns > 0) {
      earns_until_ = w + 1;
      for (Way& way : choice.ways) way.cost += choice.earns * way.seconds;
    }
    for (const Way& way : choice.ways) {
      if (priced_.sends()) {
        double& here = choice.at_site[machines.pools[way.pool].site];
        here = std::min(here, way.cost);
      }
      least_ = std::min(least_, way.cost);
    }
    find_paces(choice.ways, 0, choice.paces);
  }

  double scarce(std::size_t w, std::uint32_t p) const {
    return w < prices_.size() ? prices_[w][p] : 0;
  }

  void add_ways(WindowWays& choice, const Use& use, std::uint32_t p, double rate,
                double scarce) const {
    const GpuPool& pool = priced_.machines.pools[p];
    const bool free = rate < 0 && !use.exact;  // some way may earn all that holding GPUs does
    const auto add = [&](const auto& way) {
      if (free) return choice.ways.push_back({way.seconds, 0, -choice.earns * way.seconds, p});
      const double paid = cost_on(pool, way, rate, priced_.weights);
      if (paid < kUnbounded)
        choice.ways.push_back({way.seconds, way.gpu_seconds, paid + scarce * way.gpu_seconds, p});
    };
    if (use.ways.empty())
      add(use);
    else
      for (const WorkWay& way : use.ways) add(way);
  }

  const PricedWork& priced_;
  const CapacityPrices& prices_;
  std::vector<WindowWays> at_;
  double least_ = kUnbounded;
  std::size_t earns_until_ = 0;
  double most_earned_ = 0;
};

/// Adds up the least costs of jobs, by the window in which the run ends.
class JobSums {
 public:
  JobSums(const PricedWork& priced, std::size_t last, GpuSeconds* used)
      : priced_(priced),
        sums_(priced.windows.size(), 0.0),
        rest_(priced.windows.size(), 0.0),
        last_(last),
        used_(used) {}

  void add(const BoundedJob& job, const WaysByWindow& choices) {
    begin(job, choices);
    const TimeWindows& windows = priced_.windows;
    for (std::size_t w = windows.at(job.ready); w < windows.size(); ++w) {
      if (no_better_from(w)) {
        rest_[w] += best_ + always_;
        break;
      }
      end_in(w);
      sums_[w] += (shares_.is_whole() ? best_ : partial_) + always_;
      if (w == last_) records_ = false;
    }
    if (used_ != nullptr) count_use(job);
  }

  std::vector<double> sums() {
    double rest = 0;
    for (std::size_t w = 0; w < sums_.size(); ++w) sums_[w] += rest += rest_[w];
    return std::move(sums_);
  }

 private:
  void begin(const BoundedJob& job, const WaysByWindow& choices) {
    job_ = &job;
    choices_ = &choices;
    weight_ = priced_.weights.tardiness * job.weight;
    late_ = job.due ? priced_.weights.late : 0;
    pays_ = weight_ > 0 || late_ > 0;
    best_ = kUnbounded;
    earned_ = 0;
    always_ = -job.gigabytes * priced_.sending.earned();
    if (priced_.wastes_once()) always_ -= priced_.waste * choices.most_earned() * job.width;
    records_ = used_ != nullptr;
    shares_.clear();
    best_parts_.clear();
    tried_.clear();
  }

  /// Could it not be cheaper if the job ended in this window or later?
  bool no_better_from(std::size_t w) const {
    if (best_ == kUnbounded || w < choices_->earns_until()) return false;
    const double after = priced_.windows.begin[w] - job_->deadline;
    const double lateness = pays_ && after >= 0 ? late_ + weight_ * after : 0;
    return best_ <= lateness - earned_ + job_->work * choices_->least();
  }

  void end_in(std::size_t w) {
    const double from = std::max(priced_.windows.begin[w], job_->ready);
    const double to = priced_.windows.end(w);
    const double due = pays_ ? std::clamp(job_->deadline, from, to) : to;
    if (due > from) end_in_time(w, from, due);
    if (due < to) end_late(w, due, to);
  }

  /// No cost comes from ending at any time until `to`.
  void end_in_time(std::size_t w, double from, double to) {
    offer(shares_, w, to - from, 0);
    earn(w, to - from);
    consider(shares_, -earned_);
  }

  /// Ends at the best time from `from` on, when it is late already.
  void end_late(std::size_t w, double from, double to) {
    double fixed = late_ + weight_ * (from - job_->deadline) - earned_;
    const double net = weight_ - earns(w);  // what a second later costs
    if (net < 0) fixed += net * (to - from);
    trial_ = shares_;
    offer(trial_, w, to - from, std::max(0.0, net));
    consider(trial_, fixed);
    if (net > 0)
      offer(shares_, w, to - from, 0);
    else
      shares_ = trial_;
    earn(w, to - from);
  }

  void consider(const CheapestShares& shares, double fixed) {
    const double cost = fixed + shares.cost();
    if (!shares.is_whole()) {
      partial_ = cost;
      return;
    }
    if (cost >= best_) return;
    best_ = cost;
    if (!records_) return;
    best_parts_.assign(shares.parts().begin(), shares.parts().end());
    if (!best_parts_.empty()) best_parts_.front().share -= shares.surplus();
  }

  void earn(std::size_t w, double time) {
    if (earns(w) > 0) earned_ += earns(w) * time;
  }
  double earns(std::size_t w) const { return (*choices_)[w].earns * job_->width; }

  /// All that can be done of the job in so many seconds of a window, if each of them costs
  /// something too.
  void offer(CheapestShares& shares, std::size_t w, double time, double per_second) {
    const WindowWays& choice = (*choices_)[w];
    if (job_->gigabytes > 0) {
      const double cost = cost_with_files(w);
      if (cost < kUnbounded)
        shares.offer(cost + per_second * job_->fastest, share(time, job_->fastest));
      return;
    }
    const std::vector<Pace>* paces = &choice.paces;
    if (per_second > 0 && job_->work > 0) {
      find_paces(choice.ways, per_second / job_->width, late_paces_);
      paces = &late_paces_;
    }
    for (const Pace& pace : *paces) {
      shares.offer(job_->work * pace.cost, share(time * pace.speed, job_->scale), note(w, pace));
    }
  }

  /// How much of something that takes so long can be done in a time.
  static double share(double time, double takes) { return time >= takes ? 1 : time / takes; }

  double cost_with_files(std::size_t w) const {
    const LeastSending& sending = priced_.sending;
    const WindowWays& choice = (*choices_)[w];
    double cost = kUnbounded;
    for (std::uint32_t site = 0; site < choice.at_site.size(); ++site) {
      if (job_->submitted + job_->gigabytes * sending.seconds(job_->home, site) >=
          priced_.windows.end(w))
        continue;
      cost = std::min(cost, job_->work * choice.at_site[site] +
                                job_->gigabytes * sending.cost(job_->home, site));
    }
    return cost;
  }

  /// What a part stands for.
  struct Tried {
    std::size_t window = 0;
    Pace pace{};
  };

  std::uint32_t note(std::size_t w, const Pace& pace) {
    if (!records_) return 0;
    tried_.push_back({w, pace});
    return static_cast<std::uint32_t>(tried_.size() - 1);
  }

  void count_use(const BoundedJob& job) {
    if (job.gigabytes > 0) return;
    for (const CheapestShares::Part& part : best_parts_) {
      const Tried& tried = tried_[part.id];
      const double seconds = job.work * part.share / tried.pace.speed;
      auto& used = (*used_)[tried.window];
      const Way& to = *tried.pace.to;
      used[to.pool] += seconds * to.gpu_seconds / to.seconds;
      if (const Way* from = tried.pace.from)
        used[from->pool] -= seconds * from->gpu_seconds / from->seconds;
    }
  }

  const PricedWork& priced_;
  std::vector<double> sums_;
  std::vector<double> rest_;  ///< added to all sums from here on
  std::size_t last_;
  GpuSeconds* used_;

  bool records_ = false;  ///< what is used: until the window of the end that counts

  const BoundedJob* job_ = nullptr;
  const WaysByWindow* choices_ = nullptr;
  double weight_ = 0;   ///< money for each second late
  double late_ = 0;     ///< money for being late
  bool pays_ = false;   ///< for either
  double best_ = 0;     ///< of all ends so far
  double partial_ = 0;  ///< of all that can be done so far, if that is not the whole job
  double earned_ = 0;   ///< so far, by holding GPUs
  double always_ = 0;   ///< is added whenever it ends
  CheapestShares shares_;
  CheapestShares trial_;
  std::vector<Pace> late_paces_;
  std::vector<CheapestShares::Part> best_parts_;
  std::vector<Tried> tried_;
};

/// Takes off the worth of all GPUs until each window's end.
void take_off_worth(const PricedWork& priced, const CapacityPrices& prices,
                    std::vector<double>& sums) {
  const TimeWindows& windows = priced.windows;
  double worth = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const bool scarce = w < prices.size() && std::isfinite(windows.end(w));
    for (std::size_t p = 0; scarce && p < prices[w].size(); ++p)
      worth += prices[w][p] * priced.machines.pools[p].gpus * (windows.end(w) - windows.begin[w]);
    sums[w] -= worth;
  }
}

std::vector<double> add_up(const PricedWork& priced, const CapacityPrices& prices, std::size_t last,
                           GpuSeconds* used) {
  const std::vector<BoundedJob>& jobs = priced.jobs.jobs;
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(jobs[i].shape, i); });
  JobSums all(priced, last, used);
  WaysByWindow ways(priced, prices);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BoundedJob& job = jobs[order[i]];
    if (i == 0 || job.shape != jobs[order[i - 1]].shape) ways.show(priced.jobs.shapes[job.shape]);
    all.add(job, ways);
  }
  std::vector<double> sums = all.sums();
  take_off_worth(priced, prices, sums);
  return sums;
}

}  // namespace

std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices) {
  return add_up(priced, prices, 0, nullptr);
}

JobCosts job_costs_and_use(const PricedWork& priced, const CapacityPrices& prices,
                           std::size_t end) {
  JobCosts costs{
      .used = {priced.windows.size(), std::vector<double>(priced.machines.pools.size(), 0.0)}};
  costs.by_end = add_up(priced, prices, end, &costs.used);
  return costs;
}

}  // namespace penstock
