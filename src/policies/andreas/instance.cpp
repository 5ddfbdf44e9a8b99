#include "policies/andreas/instance.h"

#include <algorithm>
#include <map>

#include "joint/builder.h"
#include "joint/objective.h"
#include "joint/stochastic.h"
#include "policies/andreas/execute_plan.h"
#include "policies/elastic/curve.h"

namespace penstock {
namespace {

std::vector<std::uint32_t> sizes_up_to(std::uint32_t largest, std::uint32_t share) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t part = 1; part < share; part *= 2) sizes.push_back(part);
  for (std::uint32_t gpus = 1; gpus * share <= largest; gpus += gpus < 8 ? 1 : gpus)
    sizes.push_back(gpus * share);
  return sizes;
}

bool runs_with(const Job& job, const Profile* profile, std::uint32_t gpus) {
  if (gpus == job.gpus) return true;
  return profile != nullptr && runs(*profile, {.gpus = gpus, .batch = job.batch});
}

}  // namespace

Shapes::Shapes(const Cluster& cluster) : largest_(cluster.types.size(), 0) {
  for (const Node& node : cluster.nodes)
    largest_[node.type.index] = std::max(largest_[node.type.index], node.gpus);
  for (const std::uint32_t largest : largest_)
    sizes_.push_back(sizes_up_to(largest, cluster.share));
}

std::vector<std::uint32_t> Shapes::sizes_for(const Job& job, GpuTypeId type,
                                             const Models& models) const {
  std::vector<std::uint32_t> suitable;
  if ((job.gpu_types >> type.index & 1) == 0) return suitable;
  const Profile* profile = models.find(job, type);
  for (const std::uint32_t gpus : sizes_[type.index])
    if (runs_with(job, profile, gpus)) suitable.push_back(gpus);
  if (job.gpus <= largest_[type.index] && std::ranges::find(suitable, job.gpus) == suitable.end())
    suitable.push_back(job.gpus);
  return suitable;
}

bool Shapes::is_wide(const JobState& state, const View& view) const {
  if (state.phase == Phase::running) return node_count(state.where, view.state.cluster()) > 1;
  for (std::uint32_t i = 0; i < largest_.size(); ++i) {
    const GpuTypeId type{i};
    if ((state.job.gpu_types >> i & 1) == 0) continue;
    if (state.job.gpus <= largest_[i]) return false;
    const Profile* profile = view.models.find(state.job, type);
    const auto runs = [&](std::uint32_t gpus) { return runs_with(state.job, profile, gpus); };
    if (std::ranges::any_of(sizes_[i], runs)) return false;
  }
  return true;
}

double rate_over(const View& view, SiteId site, double carbon_price, Time from, Time to) {
  const double price = view.outlook.price(site).mean(from, to).value();
  const double carbon =
      carbon_price == 0 ? 0 : carbon_price * view.outlook.carbon(site).mean(from, to).value();
  // Nobody decides by the last bits of a mean.
  const auto rate = static_cast<float>(std::max(0.0, price + carbon));
  return static_cast<double>(rate) * view.outlook.pue(site).value() / 1000;
}

PowerRate power_rate(const View& view, SiteId site, double carbon_price, double interval) {
  const auto over = [&](Duration time) {
    return rate_over(view, site, carbon_price, view.now, view.now + time);
  };
  return {over(round_duration(interval)), over(std::chrono::hours(24))};
}

std::vector<double> node_costs(const View& view, NodeId id, double rate, bool nodes_sleep) {
  const Cluster& cluster = view.state.cluster();
  const Node& node = cluster.node(id);
  const NodePhase unused = nodes_sleep ? NodePhase::asleep : NodePhase::awake;
  const NodeTables* tables = cluster.tables(node);
  std::vector<double> costs{idle_draw(cluster, node, unused).total().value() * rate};
  for (std::uint32_t used = 1; used <= node.gpus; ++used) {
    const Watts draw = tables != nullptr && !tables->power.empty()
                           ? tables->power[used]
                           : idle_draw(cluster, node, NodePhase::awake).total();
    double cost = draw.value() * rate;
    if (tables != nullptr && !tables->rent.empty())
      cost += tables->rent[used].value() * kSecondsPerHour;
    costs.push_back(std::max(cost, costs.back()));
  }
  return costs;
}

double own_cost(const View& view, const Node& node, Watts draw, std::uint32_t gpus, double rate) {
  const Cluster& cluster = view.state.cluster();
  if (cluster.has_power_table(node)) return 0;
  return std::max(0.0, (draw - cluster.type(node).idle * gpus).value()) * rate;
}

namespace {

class InstanceMaker {
 public:
  InstanceMaker(const View& view, const Shapes& shapes, const std::vector<NodeUse>& use,
                const InstanceSpec& spec, bool lowers_clocks)
      : view_(view),
        shapes_(shapes),
        use_(use),
        spec_(spec),
        lowers_clocks_(lowers_clocks),
        cluster_(view.state.cluster()) {}

  Instance all(double interval) {
    instance_.problem.interval = interval;
    instance_.problem.slices = cluster_.share;
    instance_.problem.unique = spec_.unique;
    add_nodes();
    for (const JobState& job : view_.state.running())
      if (!job.job.pinned) add_job(job);
    std::size_t waiting = 0;
    for (const JobState& job : view_.state.queue()) {
      if (waiting == spec_.window) break;
      if (add_job(job)) ++waiting;
    }
    return std::move(instance_);
  }

 private:
  std::uint32_t pool_of(NodeId id) {
    const Node& node = cluster_.node(id);
    const auto next = static_cast<std::uint32_t>(instance_.pools.size());
    const auto [at, is_new] = numbers_.try_emplace({node.site, node.type}, next);
    if (is_new) {
      const PowerRate rate =
          power_rate(view_, node.site, spec_.carbon_price, instance_.problem.interval);
      instance_.pools.push_back({node.site, node.type, id, rate.now});
      now_ += rate.now;
      later_ += rate.later;
    }
    return at->second;
  }

  void add_nodes() {
    pinned_ = pinned_gpus(view_);
    for (std::uint32_t i = 0; i < cluster_.nodes.size(); ++i) {
      const NodeId id{i};
      const std::uint32_t pool = pool_of(id);
      const auto costs = node_costs(view_, id, instance_.pools[pool].rate, spec_.nodes_sleep);
      instance_.problem.nodes.push_back(
          {.name = {}, .type = pool, .gpus = usable(id), .cost = by_gpu(costs)});
    }
    instance_.problem.types = static_cast<std::uint32_t>(instance_.pools.size());
    if (now_ > 0) instance_.problem.later = later_ / now_;
  }

  /// Whole GPUs that may be planned with.
  std::uint32_t usable(NodeId id) const {
    const NodeState& state = view_.state.node(id);
    if (state.phase == NodePhase::down || use_[id.index] == NodeUse::taken) return 0;
    const std::uint32_t all = cluster_.node(id).gpus;
    const std::uint32_t devices = use_[id.index] == NodeUse::open ? all : all - state.free;
    if (const std::uint32_t pinned = pinned_[id.index]; pinned > 0)
      return (devices - pinned) / cluster_.share;
    return gpus_for(devices, cluster_.share);
  }

  /// Of a table over slices, the entries of whole GPUs.
  std::vector<double> by_gpu(const std::vector<double>& by_slice) const {
    std::vector<double> costs;
    for (std::size_t i = 0; i < by_slice.size(); i += cluster_.share) costs.push_back(by_slice[i]);
    return costs;
  }

  bool add_job(const JobState& state) {
    if (shapes_.is_wide(state, view_)) return false;
    const Job& job = state.job;
    JointJob planned{.name = {},
                     .submitted = seconds(job.submitted - view_.now),
                     .deadline = seconds(job.deadline.value_or(job.submitted) - view_.now),
                     .weight = job.tardiness_weight.value()};
    if (planned.weight == 0) planned.weight = spec_.delay_weight;
    if (state.starts > 0) planned.restart = seconds(view_.state.costs().before_work(true));
    for (std::uint32_t pool = 0; pool < instance_.pools.size(); ++pool)
      add_options(state, pool, planned);
    if (planned.options.empty()) return false;
    instance_.jobs.push_back(job.id);
    instance_.problem.jobs.push_back(std::move(planned));
    return true;
  }

  void add_options(const JobState& state, std::uint32_t number, JointJob& planned) {
    const PoolRate& pool = instance_.pools[number];
    if (state.phase == Phase::running && view_.state.site_of(state.where) != pool.site) return;
    std::vector<JointOption> options;
    for (const std::uint32_t gpus : shapes_.sizes_for(state.job, pool.type, view_.models))
      options.push_back(best_option(state, number, gpus, planned));
    if (state.job.epochs && spec_.stochastic && !options.empty())
      options = under_uncertainty(state, planned.deadline, options);
    for (const JointOption& option : options) {
      if (is_present(state, number, option.slices))
        planned.running = {cluster_.node_of[state.where.front().first.index].index,
                           static_cast<std::uint32_t>(planned.options.size())};
      planned.options.push_back(option);
    }
  }

  /// Of all ways on one type the one that is best now, and the present one, in expected times.
  std::vector<JointOption> under_uncertainty(const JobState& state, double seconds_left,
                                             const std::vector<JointOption>& options) const {
    constexpr double kAlmostAll = 0.999999;
    const double work = state.job.work.value();
    const double done = std::min(kAlmostAll, state.done_by(view_.now).value() / work);
    const Survival left = view_.models.epochs(*state.job.epochs).after(done).times(work);
    std::vector<StochasticOption> ways;
    ways.reserve(options.size());
    for (const JointOption& option : options)
      ways.push_back({.speed = left.most() / option.seconds,
                      .rate = option_cost(instance_.problem, option) / option.seconds});
    const StochasticChoice choice = choose_stochastic(left, ways, seconds_left);
    std::vector<JointOption> kept;
    for (std::uint32_t i = 0; i < options.size(); ++i) {
      JointOption option = options[i];
      if (i != choice.option && !is_present(state, option.type, option.slices)) continue;
      option.worst = i == choice.option ? choice.worst_seconds : option.seconds;
      option.seconds = i == choice.option ? choice.expected_seconds
                                          : left.expected(0, left.most()) / ways[i].speed;
      option.seconds = std::max(option.seconds, 0.001);
      kept.push_back(option);
    }
    return kept;
  }

  /// Is this how it runs at present?
  bool is_present(const JobState& state, std::uint32_t pool, std::uint32_t gpus) const {
    if (state.phase != Phase::running || gpu_count(state.where) != gpus) return false;
    const NodeId id = cluster_.node_of[state.where.front().first.index];
    const Node& node = cluster_.node(id);
    return numbers_.at({node.site, node.type}) == pool && use_[id.index] != NodeUse::taken;
  }

  /// At the cheapest clock with which the job is in time, or else at the highest.
  JointOption best_option(const JobState& state, std::uint32_t number, std::uint32_t gpus,
                          const JointJob& planned) const {
    const GpuType& type = cluster_.types[instance_.pools[number].type.index];
    const Profile* profile = view_.models.find(state.job, instance_.pools[number].type);
    JointOption best = option_of(state, number, gpus, usual_clock(state.job, profile, type, gpus));
    if (!lowers_clocks_ || profile == nullptr || profile->is_table()) return best;
    const double lost = is_present(state, number, gpus) ? 0 : planned.restart;
    const double share = full_share(number, gpus);
    for (const std::uint32_t mhz : chosen_clocks(type)) {
      const JointOption slow = option_of(state, number, gpus, mhz);
      if (is_better_clock(slow, best, share, lost, planned.deadline)) best = slow;
    }
    return best;
  }

  /// The clock that the job has if nobody chooses one for it.
  std::uint32_t usual_clock(const Job& job, const Profile* profile, const GpuType& type,
                            std::uint32_t gpus) const {
    if (!spec_.clock || spec_.clocks || profile == nullptr) return type.max_clock_mhz;
    return spec_.clock->clock(*profile, type, {.gpus = gpus, .batch = job.batch});
  }

  /// Money an hour for so many devices of a full node.
  double full_share(std::uint32_t number, std::uint32_t gpus) const {
    const NodeId id = instance_.pools[number].example;
    const auto costs = node_costs(view_, id, instance_.pools[number].rate, spec_.nodes_sleep);
    return (costs.back() - costs.front()) * gpus / cluster_.node(id).gpus;
  }

  JointOption option_of(const JobState& state, std::uint32_t number, std::uint32_t gpus,
                        std::uint32_t mhz) const {
    const PoolRate& pool = instance_.pools[number];
    const Profile* profile = view_.models.find(state.job, pool.type);
    const std::uint32_t highest = cluster_.types[pool.type.index].max_clock_mhz;
    const Config config{.gpus = gpus,
                        .batch = state.job.batch,
                        .clock = highest == 0 ? 1 : static_cast<double>(mhz) / highest};
    double left = state.left_at(view_.now).value() / 1e3;  // a rigid job's is in milliseconds
    Watts watts = cluster_.types[pool.type.index].peak * gpus;
    if (profile != nullptr) {
      left = state.left_at(view_.now).value() / throughput(*profile, config);
      watts = draw(*profile, config);
    }
    if (is_present(state, number, gpus) && state.work_begins > view_.now)
      left += seconds(state.work_begins - view_.now);
    left = std::max(left, 0.001);
    return {.type = number,
            .slices = gpus,
            .seconds = left,
            .worst = left,
            .own_rate = own_cost(view_, cluster_.node(pool.example), watts, gpus, pool.rate),
            .own_watts = own_cost(view_, cluster_.node(pool.example), watts, gpus, 1),
            .clock_mhz = profile == nullptr || !spec_.clocks ? 0 : mhz};
  }

  const View& view_;
  const Shapes& shapes_;
  const std::vector<NodeUse>& use_;
  const InstanceSpec& spec_;
  bool lowers_clocks_;
  const Cluster& cluster_;
  std::map<std::pair<SiteId, GpuTypeId>, std::uint32_t> numbers_;  ///< of pools
  std::vector<std::uint32_t> pinned_;  ///< by NodeId: devices that pinned jobs hold
  double now_ = 0;
  double later_ = 0;
  Instance instance_;
};

}  // namespace

Instance make_instance(const View& view, const Shapes& shapes, const std::vector<NodeUse>& use,
                       double interval, const InstanceSpec& spec) {
  Instance quick = InstanceMaker(view, shapes, use, spec, false).all(interval);
  if (!spec.clocks || gpus_are_scarce(quick.problem)) return quick;
  return InstanceMaker(view, shapes, use, spec, true).all(interval);
}

}  // namespace penstock
