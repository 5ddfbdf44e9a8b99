#include "policies/andreas/waiting.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "joint/deferral.h"

namespace penstock {
namespace {

constexpr double kFlat = 0.03;         ///< prices that differ by less are not waited for
constexpr double kCautionPart = 0.1;   ///< of a job's quickest run, kept before its deadline
constexpr double kCautionLeast = 900;  ///< seconds, likewise
constexpr double kQuicker = 1.001;     ///< of ways that are worth the same, the quicker is meant
constexpr int kHours = 48;             ///< looked at one by one
constexpr int kBlocks = 20;            ///< looked at after them
constexpr Duration kBlock = std::chrono::hours(6);

double least_gpu_time(const JointJob& job) {
  double least = std::numeric_limits<double>::infinity();
  for (const JointOption& option : job.options)
    least = std::min(least, option.slices * option.seconds);
  return least;
}

class Waiting {
 public:
  Waiting(const View& view, const InstanceSpec& spec, const ArrivingLoad& load, Instance& instance)
      : view_(view), spec_(spec), load_(load), instance_(instance), problem_(instance.problem) {}

  WaitingPlan all() {
    find_steps();
    if (steps_.empty() || is_flat()) return {};
    find_shares();
    std::vector<DeferrableJob> jobs;
    jobs.reserve(problem_.jobs.size());
    for (std::size_t j = 0; j < problem_.jobs.size(); ++j) jobs.push_back(deferrable(j));
    decide(defer_jobs(jobs, steps_,
                      {.slices = slices_,
                       .largest = largest_,
                       .gpu = static_cast<double>(problem_.slices),
                       .arriving = load_.part()}));
    return std::move(plan_);
  }

 private:
  /// Hours of the clock, since prices change with them; later ones in blocks.
  void find_steps() {
    double most = 0;
    for (const JointJob& job : problem_.jobs) most = std::max(most, job.deadline);
    Time begin = view_.now;
    Time end = std::chrono::floor<std::chrono::hours>(begin) + std::chrono::hours(1);
    for (int i = 0; i < kHours + kBlocks && seconds(begin - view_.now) < most; ++i) {
      add_step(begin, end);
      begin = end;
      end += i < kHours ? Duration(std::chrono::hours(1)) : kBlock;
    }
  }

  void add_step(Time begin, Time end) {
    PriceStep step{.begin = seconds(begin - view_.now), .end = seconds(end - view_.now)};
    for (const PoolRate& pool : instance_.pools)
      step.price.push_back(rate_over(view_, pool.site, spec_.carbon_price, begin, end));
    // The first step stays by itself: it is the present.
    if (steps_.size() > 1 && steps_.back().price == step.price)
      steps_.back().end = step.end;
    else
      steps_.push_back(std::move(step));
  }

  bool is_flat() const {
    for (std::size_t pool = 0; pool < instance_.pools.size(); ++pool) {
      const auto price = [&](const PriceStep& step) { return step.price[pool]; };
      const auto [least, most] = std::ranges::minmax(steps_, {}, price);
      if (least.price[pool] < (1 - kFlat) * most.price[pool]) return false;
    }
    return true;
  }

  /// What a slice of a full node costs beyond an unused node, and how many slices there are.
  void find_shares() {
    power_.assign(instance_.pools.size(), 0);
    rent_ = power_;
    slices_ = power_;
    largest_ = power_;
    for (std::size_t p = 0; p < instance_.pools.size(); ++p) {
      const PoolRate& pool = instance_.pools[p];
      const double gpus = view_.state.cluster().node(pool.example).gpus;
      const auto rent = node_costs(view_, pool.example, 0, spec_.nodes_sleep);
      const auto all = node_costs(view_, pool.example, 1, spec_.nodes_sleep);
      rent_[p] = (rent.back() - rent.front()) / gpus;
      power_[p] = (all.back() - all.front()) / gpus - rent_[p];
    }
    for (const JointNode& node : problem_.nodes) {
      const double slices = node.gpus * problem_.slices;
      slices_[node.type] += slices;
      largest_[node.type] = std::max(largest_[node.type], slices);
    }
  }

  DeferrableJob deferrable(std::size_t number) const {
    const JointJob& job = problem_.jobs[number];
    const JobState& state = view_.state.job(instance_.jobs[number]);
    const Costs& costs = view_.state.costs();
    const double wake = spec_.nodes_sleep ? seconds(costs.wake) : 0;
    DeferrableJob it{.restart = job.running ? job.restart + wake : 0,
                     .in_one_piece = state.job.pinned};
    double quickest = job.options.front().worst;
    for (const JointOption& option : job.options) {
      quickest = std::min(quickest, option.worst);
      it.ways.push_back({.type = option.type,
                         .slices = option.slices,
                         .seconds = option.worst,
                         .power = power_[option.type] * option.slices + option.own_watts,
                         .rent = rent_[option.type] * option.slices});
    }
    it.left = job.deadline - std::max(kCautionPart * quickest, kCautionLeast) - wake -
              seconds(costs.before_work(state.starts > 0));
    return it;
  }

  /// Who may wait is looked at again when the hour has passed, whatever was foretold.
  void decide(const std::vector<Deferral>& found) {
    if (std::ranges::any_of(found, [](const Deferral& it) { return it.worth.has_value(); }))
      plan_.again = at(steps_.front().end);
    std::size_t kept = 0;
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (found[j].again)
        plan_.again = std::min(plan_.again.value_or(Time::max()), at(*found[j].again));
      if (found[j].waits) {
        plan_.jobs.push_back({instance_.jobs[j], {}});
        if (found[j].again) plan_.jobs.back().until = at(*found[j].again);
        continue;
      }
      if (found[j].worth) problem_.jobs[j].worth = kQuicker * *found[j].worth;
      if (kept != j) {
        problem_.jobs[kept] = std::move(problem_.jobs[j]);
        instance_.jobs[kept] = instance_.jobs[j];
      }
      ++kept;
    }
    problem_.jobs.resize(kept);
    instance_.jobs.resize(kept);
  }

  Time at(double seconds_from_now) const { return view_.now + ceil_duration(seconds_from_now); }

  const View& view_;
  const InstanceSpec& spec_;
  const ArrivingLoad& load_;
  Instance& instance_;
  JointProblem& problem_;
  std::vector<PriceStep> steps_;
  std::vector<double> power_;    ///< by pool: watts for a slice of a full node
  std::vector<double> rent_;     ///< likewise, money an hour whatever power costs
  std::vector<double> slices_;   ///< by pool
  std::vector<double> largest_;  ///< by pool, on one node
  WaitingPlan plan_;
};

}  // namespace

void ArrivingLoad::count(const View& view, const Instance& instance) {
  const double slices = view.state.cluster().gpu_count();
  if (!last_) work_ = kAssumed * kMemory * slices;
  double work = 0;
  for (const JointJob& job : instance.problem.jobs)
    if (!last_ || view.now + round_duration(job.submitted) > *last_) work += least_gpu_time(job);
  const double passed = last_ ? seconds(view.now - *last_) : 0;
  last_ = view.now;
  work_ = work_ * std::exp(-passed / kMemory) + work;
  part_ = slices > 0 ? work_ / (kMemory * slices) : kAssumed;
}

WaitingPlan hold_back(const View& view, const InstanceSpec& spec, const ArrivingLoad& load,
                      Instance& instance) {
  return Waiting(view, spec, load, instance).all();
}

}  // namespace penstock
