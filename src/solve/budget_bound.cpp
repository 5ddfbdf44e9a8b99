#include "solve/budget_bound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/step_rate.h"

namespace penstock {
namespace {

constexpr double kSafety = 1e-9;        ///< what adding up in another order may change
constexpr double kAnyPrice = 1e15;      ///< seconds for a joule, at which time counts nothing
constexpr double kSlightPrice = 1e-18;  ///< at which energy counts nothing
constexpr std::size_t kPrices = 20;     ///< at which jobs share GPUs, and some between and above
constexpr std::size_t kFewPrices = 4;   ///< where that tells little
constexpr std::size_t kJobPrices = 2'000'000;  ///< jobs times prices, where there are many jobs
constexpr int kWorthRounds = 6;  ///< of the worth of GPUs by the ways taken, and these by it
constexpr ObjectiveWeights kEnergy{.joule = 1};

std::vector<StepRate> cooling_rates(const BoundedWorld& world) {
  std::vector<StepRate> rates;
  rates.reserve(world.signals.size());
  for (const SiteSignals& site : world.signals) rates.push_back(rate_of(site, world, kEnergy));
  return rates;
}

/// By shape the ways on all pools, with what they are metered at least.
std::vector<std::vector<WorkWay>> metered_ways(const BoundedJobs& jobs, const Machines& machines,
                                               const std::vector<StepRate>& rates) {
  std::vector<std::vector<WorkWay>> all;
  for (const BoundedShape& shape : jobs.shapes) {
    std::vector<WorkWay>& ways = all.emplace_back();
    for (const GpuPool& pool : machines.pools) {
      const double rate = rates[pool.site].least_rate(0, kUnbounded);
      for (const WorkWay& way : shape.uses[pool.type].hull)
        ways.push_back({way.seconds, way.gpu_seconds, cost_on(pool, way, rate, kEnergy)});
    }
    drop_dominated(ways);
  }
  return all;
}

/// Two bounds on what machines draw until the run ends: that is no sooner than it possibly could
/// be, and no sooner than all GPUs can have done the work. The last job counts in the first.
std::vector<MachineEnergy> machine_energies(const BoundedWorld& world, const BoundedJobs& jobs,
                                            const StepRate& idle) {
  const double makespan = least_makespan(world, jobs);
  const double after = idle.least_rate(makespan, kUnbounded);
  MachineEnergy soon{.joules = idle.sum_until(makespan), .after = after};
  const MachineEnergy busy{.joules = soon.joules - after * makespan,
                           .per_gpu_second = after / world.cluster.gpu_count()};
  for (std::uint32_t i = 0; i < jobs.jobs.size(); ++i)
    if (jobs.jobs[i].ready + jobs.jobs[i].fastest >= makespan) soon.last = i;
  return {soon, busy};
}

/// Halves wide steps between rising prices, and adds some above: where GPUs are short, a job's time
/// is also that of others.
std::vector<double> with_others(const std::vector<double>& prices) {
  constexpr double kWide = 1.7;
  constexpr int kAbove = 8;
  std::vector<double> all;
  for (const double price : prices) {
    if (!all.empty() && all.back() > 0 && price > all.back() * kWide)
      all.push_back(std::sqrt(price * all.back()));
    all.push_back(price);
  }
  for (int i = 0; i < kAbove && all.size() > 1; ++i) all.push_back(all.back() * 1.5);
  return all;
}

}  // namespace

EnergyPrices::EnergyPrices(const BoundedJobs& jobs, const std::vector<std::vector<WorkWay>>& ways,
                           const MachineEnergy& machines, double gpus)
    : gpus_(gpus), shapes_(ways.size()), machines_(machines.joules) {
  for (std::size_t s = 0; s < ways.size(); ++s)
    for (const WorkWay& way : ways[s]) {
      const double joules = way.joules + machines.per_gpu_second * way.gpu_seconds;
      shapes_[s].best.add({.x = way.seconds, .y = joules});
      shapes_[s].ways.push_back({way.seconds, way.gpu_seconds, joules});
    }
  for (const BoundedJob& job : jobs.jobs) {
    submitted_ += job.submitted;
    waits_ += job.ready - job.submitted;
    shapes_[job.shape].scale += job.scale;
    shapes_[job.shape].work += job.work;
  }
  if (machines.last) last_ = Last{.job = jobs.jobs[*machines.last], .watts = machines.after};
  highest_ = highest_price();
  SharedMachine machine(jobs.jobs);
  const std::size_t most = machines.per_gpu_second > 0 ? kFewPrices : kPrices;
  for (const double price : prices(std::clamp(kJobPrices / jobs.jobs.size(), kFewPrices, most)))
    for (const double part : {0.0, 0.25, 0.5, 0.75})
      lines_.push_back(shared(jobs, price, part, machine));
}

double EnergyPrices::least() const {
  const double least = alone(kAnyPrice).joules;
  return least - kSafety * (std::abs(machines_) + std::abs(least));
}

double EnergyPrices::seconds(double budget) const {
  double most = seconds_alone(budget);
  for (const Line& line : lines_) most = std::max(most, line.at(budget));
  return most;
}

double EnergyPrices::Line::at(double budget) const {
  return seconds - price * budget - kSafety * (size + price * budget);
}

EnergyPrices::Needs EnergyPrices::alone(double price) const {
  Needs needs{.seconds = waits_, .joules = machines_};
  for (const Shape& shape : shapes_) {
    const LowerHull::Point& way = shape.best.least(price);
    needs.seconds += way.x * shape.scale;
    needs.joules += way.y * shape.work;
  }
  add_last(price, needs);
  return needs;
}

/// The last job takes the way that is best if what machines draw meanwhile counts too.
void EnergyPrices::add_last(double price, Needs& needs) const {
  if (!last_) return;
  const BoundedJob& job = last_->job;
  const Shape& shape = shapes_[job.shape];
  Needs least;
  double least_counts = kUnbounded;
  for (const WorkWay& way : shape.ways) {
    const double time = way.seconds * job.scale;
    const double joules = way.joules * job.work + last_->watts * (time - job.fastest);
    if (time + price * joules >= least_counts) continue;
    least_counts = time + price * joules;
    least = {time, joules};
  }
  const LowerHull::Point& before = shape.best.least(price);
  needs.seconds += least.seconds - before.x * job.scale;
  needs.joules += least.joules - before.y * job.work;
}

EnergyPrices::Line EnergyPrices::line_alone(double price) const {
  const Needs needs = alone(price);
  return {.seconds = needs.seconds + price * needs.joules,
          .price = price,
          .size = needs.seconds + price * (std::abs(needs.joules) + 2 * std::abs(machines_))};
}

double EnergyPrices::highest_price() const {
  const double least = alone(kAnyPrice).joules;
  double low = kSlightPrice;
  double high = kAnyPrice;
  while (high > low * 1.01) {
    const double middle = std::sqrt(low * high);
    const double above = alone(middle).joules - least;
    (above > kSafety * std::abs(least) ? low : high) = middle;
  }
  return high;
}

/// At the best price, which is where jobs alone need just the budget.
double EnergyPrices::seconds_alone(double budget) const {
  if (alone(0).joules <= budget) return line_alone(0).at(budget);
  double low = kSlightPrice;
  double high = highest_;
  for (int i = 0; i < 100 && low < high; ++i) {
    const double middle = std::sqrt(low * high);
    (alone(middle).joules > budget ? low : high) = middle;
  }
  return std::max(line_alone(low).at(budget), line_alone(high).at(budget));
}

/// Prices at which jobs change their ways, thinned out to so many, and some between and above them.
std::vector<double> EnergyPrices::prices(std::size_t most) const {
  struct Change {
    double price = 0;
    double joules = 0;  ///< saved
  };
  std::vector<Change> changes;
  double saved = 0;
  for (const Shape& shape : shapes_) {
    const auto points = shape.best.points();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double joules = (points[i].y - points[i - 1].y) * shape.work;
      const double time = (points[i - 1].x - points[i].x) * shape.scale;
      if (joules <= 0 || time <= 0) continue;
      changes.push_back({time / joules, joules});
      saved += joules;
    }
  }
  std::ranges::sort(changes, {}, &Change::price);
  std::vector<double> prices{0};
  double until = 0;
  for (const Change& change : changes) {
    until += change.joules;
    if (until * static_cast<double>(most) < saved * static_cast<double>(prices.size())) continue;
    prices.push_back(change.price);
  }
  return with_others(prices);
}

/// By shape the ways that are best for some worth of a GPU-second.
std::vector<LowerHull> EnergyPrices::choices(double price, double part) const {
  std::vector<LowerHull> choices(shapes_.size());
  for (std::size_t s = 0; s < shapes_.size(); ++s)
    for (std::uint32_t i = 0; i < shapes_[s].ways.size(); ++i) {
      const WorkWay& way = shapes_[s].ways[i];
      choices[s].add({part * way.seconds + price * way.joules, way.gpu_seconds, i});
    }
  return choices;
}

EnergyPrices::Line EnergyPrices::shared(const BoundedJobs& jobs, double price, double part,
                                        SharedMachine& machine) const {
  const std::vector<LowerHull> ways = choices(price, part);
  std::vector<double> sizes;
  sizes.reserve(jobs.jobs.size());
  for (const BoundedJob& job : jobs.jobs)
    sizes.push_back(ways[job.shape].points().back().y * job.work / gpus_);
  Line best{.seconds = -kUnbounded, .price = price};
  for (int round = 0; round < kWorthRounds; ++round) {
    machine.serve(sizes);
    double sum = 0;
    machine.for_each_job([&](std::uint32_t i, const LowerHull& times) {
      const BoundedJob& job = jobs.jobs[i];
      double least = kUnbounded;
      double chosen = 0;
      for (const LowerHull::Point& choice : ways[job.shape].points()) {
        const WorkWay& way = shapes_[job.shape].ways[choice.id];
        const double size = way.gpu_seconds * job.work / gpus_;
        const LowerHull::Point& when = times.least(size);
        const double counts = part * way.seconds * job.scale + price * way.joules * job.work +
                              (1 - part) * (when.x + size * when.y);
        if (counts >= least) continue;
        least = counts;
        chosen = size;
      }
      sizes[i] += (chosen - sizes[i]) / (round + 2);
      sum += least + part * job.ready + (1 - part) * job.fastest / 2;
    });
    const double worth = (1 - part) * machine.worth();
    const double seconds = sum - worth - submitted_ + price * machines_;
    if (seconds <= best.seconds) continue;
    best.seconds = seconds;
    best.size = sum + worth + submitted_ + price * std::abs(machines_);
  }
  return best;
}

BudgetBound::BudgetBound(const BoundedWorld& world, JobSource& source) {
  const BoundedJobs jobs = bounded_jobs(world, gpu_draws(world), source, TellHull::yes);
  if (jobs.jobs.empty()) return;
  jobs_ = static_cast<double>(jobs.jobs.size());
  const double gpus = world.cluster.gpu_count();
  double submitted = 0;
  for (const BoundedJob& job : jobs.jobs) submitted += job.submitted;
  const double without = least_total_completion(jobs.jobs, gpus) - submitted;
  without_budget_ = without - kSafety * (without + submitted);
  const Machines machines = machines_of(world, jobs.draws);
  const std::vector<StepRate> rates = cooling_rates(world);
  const auto ways = metered_ways(jobs, machines, rates);
  for (const MachineEnergy& drawn :
       machine_energies(world, jobs, idle_rate(machines, rates, kEnergy))) {
    by_machines_.emplace_back(jobs, ways, drawn, gpus);
    least_ = std::max(least_, Joules(by_machines_.back().least()));
  }
}

std::optional<Duration> BudgetBound::jct_mean(Joules budget) const {
  if (jobs_ == 0 || budget < least_) return std::nullopt;
  double most = without_budget_;
  for (const EnergyPrices& prices : by_machines_)
    most = std::max(most, prices.seconds(budget.value()));
  return Duration(static_cast<std::int64_t>(std::floor(most / jobs_ * 1e3)));
}

}  // namespace penstock
