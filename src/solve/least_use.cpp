#include "solve/least_use.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "solve/lower_hull.h"

namespace penstock {
namespace {

constexpr double kClose = 2e-3;      ///< how near to the least a search comes, from below
constexpr double kCloseHull = 5e-4;  ///< the same of a hull
constexpr std::uint32_t kRigid = ~0u;

double relative(std::uint32_t mhz, const GpuType& type) {
  return type.max_clock_mhz == 0 ? 1 : static_cast<double>(mhz) / type.max_clock_mhz;
}

/// Relative clocks that can be set, the highest first.
std::vector<double> all_clocks(const GpuType& type) {
  std::vector<double> clocks{1};
  if (type.clock_step_mhz == 0 || type.max_clock_mhz == 0) return clocks;
  for (std::uint32_t mhz = type.max_clock_mhz; mhz >= type.min_clock_mhz + type.clock_step_mhz;) {
    mhz -= type.clock_step_mhz;
    clocks.push_back(relative(mhz, type));
  }
  return clocks;
}

struct Draws {
  double computing = 0;
  double waiting = 0;
};

Draws draws_at(const PowerModel& power, double clock) {
  return {(power.p0 + power.p1 * clock + power.p3 * (clock * clock * clock)).value(),
          (power.p0 + power.p1_sync * clock).value()};
}

/// Of one of its GPUs.
Draws draws_of(const Profile& profile, double clock) {
  if (!profile.is_front()) return draws_at(profile.power, clock);
  const Watts each = draw(profile, {.gpus = profile.gpus_most, .clock = clock}) / profile.gpus_most;
  return {each.value(), each.value()};
}

double samples_counted(const Profile& profile, double batch) {
  return batch * efficiency(profile.noise, batch);
}

struct Span {
  double low = 0;
  double high = 0;
};

/// Finds the least of something over a range of batches by bisection. `below(span)` must never
/// exceed it in the span, and `at(batch)` be its value. `best` is the least known elsewhere.
template <class Below, class At>
double least_over(Span span, double best, const Below& below, const At& at) {
  best = std::min({best, at(span.low), at(span.high)});
  std::vector<Span> open{span};
  while (!open.empty()) {
    const Span next = open.back();
    open.pop_back();
    if (below(next) >= best * (1 - kClose)) continue;
    const double middle = (next.low + next.high) / 2;
    best = std::min(best, at(middle));
    open.push_back({next.low, middle});
    open.push_back({middle, next.high});
  }
  return best;
}

/// One unit of work with so many GPUs at some clock, whatever the batch.
class Search {
 public:
  Search(const Profile& profile, double floor, bool tells_hull)
      : profile_(profile), floor_(floor), tells_hull_(tells_hull) {}

  void look(const Config& config, const Span& batches) {
    config_ = config;
    power_ = draws_at(profile_.power, config.clock);
    const auto both = [&](double batch) { return Span{batch, batch}; };
    if (config.clock == 1) {  // a lower clock is never quicker
      const double quick = least_over(
          batches, seconds_, [&](Span s) { return seconds(s); },
          [&](double batch) { return seconds(both(batch)); });
      seconds_ = std::min(seconds_, quick);
      gpu_seconds_ = std::min(
          gpu_seconds_, least_over(
                            batches, gpu_seconds_, [&](Span s) { return seconds(s) * gpus(); },
                            [&](double batch) { return seconds(both(batch)) * gpus(); }));
    }
    joules_ = std::min(joules_, least_over(
                                    batches, joules_, [&](Span s) { return joules(s); },
                                    [&](double batch) { return joules(both(batch)); }));
    if (tells_hull_) look_at_both(batches);
  }

  /// Of a profile without a choice of batch: by a table the clock is as measured too.
  void look_up(const Config& config) {
    const double speed = throughput(profile_, config);
    seconds_ = std::min(seconds_, 1 / speed);
    gpu_seconds_ = std::min(gpu_seconds_, config.gpus / speed);
    const double watts = penstock::draw(profile_, config).value() - floor_ * config.gpus;
    joules_ = std::min(joules_, watts / speed);
    ways_.push_back({1 / speed, config.gpus / speed, watts / speed});
    if (tells_hull_) hulls_[config.gpus].add({.x = 1 / speed, .y = watts / speed});
  }

  Use least() const {
    std::vector<WorkWay> hull;
    const double part = searches_ ? 1 - kCloseHull : 1;
    for (const auto& [gpus, points] : hulls_)
      for (const LowerHull::Point& way : points.points())
        hull.push_back({way.x * part, way.x * part * gpus, way.y * part});
    drop_dominated(hull);
    return {.possible = seconds_ < kUnbounded,
            .seconds = seconds_ * (1 - kClose),
            .gpu_seconds = gpu_seconds_ * (1 - kClose),
            .joules = joules_ * (1 - kClose),
            .ways = ways_,
            .hull = std::move(hull)};
  }

 private:
  /// Finds the hull of time and energy with this number of GPUs. A range of batches is done with
  /// once nothing in it can be below the hull by more than `kCloseHull`.
  void look_at_both(const Span& batches) {
    LowerHull& hull = hulls_[config_.gpus];
    const auto add = [&](double batch) {
      const Span both{batch, batch};
      hull.add({.x = seconds(both), .y = joules(both)});
    };
    add(batches.low);
    if (batches.low == batches.high) return;
    searches_ = true;
    add(batches.high);
    std::vector<Span> open{batches};
    while (!open.empty()) {
      const Span next = open.back();
      open.pop_back();
      if (hull.covers(seconds(next) / (1 - kCloseHull), joules(next) / (1 - kCloseHull))) continue;
      const double middle = (next.low + next.high) / 2;
      add(middle);
      open.push_back({next.low, middle});
      open.push_back({middle, next.high});
    }
  }

  double gpus() const { return config_.gpus; }
  IterationTime iteration(double batch) {
    config_.batch = batch;
    return iteration_time(profile_.speed, in_parts(profile_, config_));
  }
  double parts(double batch) {
    config_.batch = batch;
    return in_parts(profile_, config_).parts;
  }
  /// How long it waits beyond computing, at least: the less, the larger the last part. With the
  /// same number of parts that is the part of the largest batch; else some batch fills the memory.
  double least_waiting(const Span& batches) {
    const bool same = parts(batches.low) == parts(batches.high);
    config_.batch = same ? batches.high : profile_.batch.local_most * gpus();
    const Config last = same ? in_parts(profile_, config_) : config_;
    const IterationTime time = iteration_time(profile_.speed, last);
    return std::max(0.0, time.total - time.compute);
  }
  /// An iteration takes the longer, and counts the more samples, the larger the batch: one part
  /// more adds the fixed time of computing, and what the smaller last part hides less of waiting.
  double seconds(const Span& batches) {
    return iteration(batches.low).total / samples_counted(profile_, batches.high);
  }
  /// It computes the longer, the larger the batch.
  double joules(const Span& batches) {
    const double computing = iteration(batches.low).compute;
    return gpus() *
           ((power_.computing - floor_) * computing +
            (power_.waiting - floor_) * least_waiting(batches)) /
           samples_counted(profile_, batches.high);
  }

  const Profile& profile_;
  double floor_;
  Config config_{};
  Draws power_{};
  double seconds_ = kUnbounded;
  double gpu_seconds_ = kUnbounded;
  double joules_ = kUnbounded;
  std::vector<WorkWay> ways_;
  bool tells_hull_;
  bool searches_ = false;                     ///< for the hull, up to kCloseHull
  std::map<std::uint32_t, LowerHull> hulls_;  ///< by GPUs: seconds and joules
};

std::uint32_t largest_node(const Cluster& cluster, std::uint32_t type) {
  std::uint32_t gpus = 0;
  for (const Node& node : cluster.nodes)
    if (node.type.index == type) gpus = std::max(gpus, node.gpus);
  return gpus;
}

std::uint32_t gpus_of(const Cluster& cluster, std::uint32_t type) {
  std::uint32_t gpus = 0;
  for (const Node& node : cluster.nodes)
    if (node.type.index == type) gpus += node.gpus;
  return gpus;
}

/// The two ways of spreading GPUs that differ: in one node, and over several.
template <class Look>
void for_each_spread(std::uint32_t gpus, std::uint32_t largest, const Look& look) {
  if (gpus <= largest) look(1u);
  if (gpus > 1) look(2u);
}

/// Every clock and number of GPUs; `batches` says with which batches, none if they are empty.
template <class Batches>
void look_at_all(Search& search, const Cluster& cluster, std::uint32_t type, std::uint32_t most,
                 const Batches& batches) {
  for (const double clock : all_clocks(cluster.types[type]))
    for (std::uint32_t gpus = 1; gpus <= most; ++gpus) {
      const Span span = batches(gpus);
      if (span.low > span.high) continue;
      for_each_spread(gpus, largest_node(cluster, type), [&](std::uint32_t nodes) {
        search.look({.gpus = gpus, .nodes = nodes, .clock = clock}, span);
      });
    }
}

/// The least of what two need, each figure by itself.
Use lesser(const Use& a, const Use& b) {
  Use least{.possible = a.possible || b.possible,
            .seconds = std::min(a.seconds, b.seconds),
            .gpu_seconds = std::min(a.gpu_seconds, b.gpu_seconds),
            .joules = std::min(a.joules, b.joules),
            .ways = a.ways,
            .hull = a.hull};
  least.ways.insert(least.ways.end(), b.ways.begin(), b.ways.end());
  least.hull.insert(least.hull.end(), b.hull.begin(), b.hull.end());
  return least;
}

}  // namespace

void drop_dominated(std::vector<WorkWay>& ways) {
  const auto figures = [](const WorkWay& way) {
    return std::tuple(way.seconds, way.joules, way.gpu_seconds);
  };
  std::ranges::sort(ways, {}, figures);
  std::map<double, double> least;  // GPU-seconds, by joules: of ways before, falling
  std::vector<WorkWay> kept;
  for (const WorkWay& way : ways) {
    auto after = least.upper_bound(way.joules);
    if (after != least.begin() && std::prev(after)->second <= way.gpu_seconds) continue;
    while (after != least.end() && after->second >= way.gpu_seconds) after = least.erase(after);
    least[way.joules] = way.gpu_seconds;
    kept.push_back(way);
  }
  ways = std::move(kept);
}

std::vector<GpuDraw> gpu_draws(const BoundedWorld& world) {
  std::vector<GpuDraw> draws;
  for (std::uint32_t i = 0; i < world.cluster.types.size(); ++i) {
    const GpuType& type = world.cluster.types[i];
    GpuDraw draw{.least = std::min(type.idle, type.peak).value(),
                 .most = std::max(type.idle, type.peak).value()};
    if (world.costs.sleep_after) draw.least = std::min(draw.least, type.sleep.value());
    if (world.failures) draw.least = 0;
    const std::size_t kinds = world.models == nullptr ? 0 : world.models->kinds();
    for (std::uint32_t k = 0; k < kinds; ++k) {
      const Profile* profile = world.models->find(KindId{k}, GpuTypeId{i});
      if (profile == nullptr) continue;
      for (const double clock : all_clocks(type)) {
        const Draws at = draws_of(*profile, clock);
        draw.least = std::min({draw.least, at.computing, at.waiting});
        draw.most = std::max({draw.most, at.computing, at.waiting});
      }
    }
    draws.push_back(draw);
  }
  return draws;
}

LeastUse::Shape LeastUse::shape(const TracedJob& traced) {
  const Job& job = traced.job;
  if (!job.kind_id) return {job.gpu_types, kRigid, 0, traced.load};
  return {job.gpu_types, job.kind_id->index, job.gpus, job.batch};
}

double LeastUse::work(const TracedJob& traced) const {
  const bool kills = world_.over_request == OverRequest::kill;
  if (traced.job.kind_id)
    return (kills ? std::min(traced.work, traced.job.work) : traced.work).value();
  const Duration runs = kills ? std::min(traced.actual, traced.job.requested) : traced.actual;
  return seconds(runs) * traced.job.gpus;
}

std::vector<Use> LeastUse::unit(const TracedJob& traced) {
  std::vector<Use> uses(world_.cluster.types.size());
  for (std::uint32_t type = 0; type < uses.size(); ++type) {
    if ((traced.job.gpu_types >> type & 1) == 0) continue;
    const Profile* profile = nullptr;
    if (world_.models != nullptr) profile = world_.models->find(traced.job, GpuTypeId{type});
    if (profile == nullptr) {
      uses[type] = rigid(traced, type);
      continue;
    }
    const Use ranged =
        lesser(in_range(*profile, type), with_batch(*profile, type, traced.job.batch));
    uses[type] = lesser(ranged, as_asked(traced, *profile, type));
    drop_dominated(uses[type].hull);
    uses[type].exact = !uses[type].ways.empty();
    uses[type].most_gpus = std::max(profile->gpus_most, traced.job.gpus);
    uses[type].most_watts = draws_[type].most;
  }
  return uses;
}

/// A rigid job's unit is a GPU-second, and the time told is that of one GPU; a job whose kind is
/// unknown on the type does one unit of its work in a millisecond.
Use LeastUse::rigid(const TracedJob& traced, std::uint32_t type) const {
  const GpuType& gpu = world_.cluster.types[type];
  const double draw = (gpu.idle + (gpu.peak - gpu.idle) * traced.load).value();
  const bool has_kind = traced.job.kind_id.has_value();
  const double gpu_seconds = has_kind ? traced.job.gpus / 1e3 : 1;
  const WorkWay way{.seconds = has_kind ? 1e-3 : 1,
                    .gpu_seconds = gpu_seconds,
                    .joules = std::max(0.0, draw - draws_[type].least) * gpu_seconds};
  return {.possible = true,
          .seconds = way.seconds,
          .gpu_seconds = way.gpu_seconds,
          .joules = way.joules,
          .hull = {way},
          .exact = true,
          .most_gpus = has_kind ? double(traced.job.gpus) : 1,
          .most_watts = draw};
}

/// With any number of GPUs and, where it is free, any batch of the profile.
Use LeastUse::in_range(const Profile& profile, std::uint32_t type) {
  const auto [known, is_new] = in_range_.try_emplace({&profile, type});
  if (!is_new) return known->second;
  Search search(profile, draws_[type].least, tells_hull_);
  const std::uint32_t most = std::min(profile.gpus_most, gpus_of(world_.cluster, type));
  if (profile.is_table()) {
    for (std::uint32_t gpus = 1; gpus <= most; ++gpus)
      if (runs(profile, {.gpus = gpus})) search.look_up({.gpus = gpus});
    return known->second = search.least();
  }
  if (profile.is_front() && profile.gpus_most <= most)
    for (const double clock : all_clocks(world_.cluster.types[type]))
      search.look_up({.gpus = profile.gpus_most, .clock = clock});
  if (!adapts_batch(profile)) return known->second = search.least();
  const BatchRange& range = profile.batch;
  const auto batches = [&](std::uint32_t gpus) {
    return Span{
        .low = std::max(range.least, double(gpus)),
        .high = range.accumulates ? range.most : std::min(range.most, range.local_most * gpus)};
  };
  look_at_all(search, world_.cluster, type, most, batches);
  return known->second = search.least();
}

/// With any number of GPUs and one batch.
Use LeastUse::with_batch(const Profile& profile, std::uint32_t type, double batch) {
  const auto [known, is_new] = with_batch_.try_emplace({&profile, type, batch});
  if (!is_new) return known->second;
  Search search(profile, draws_[type].least, tells_hull_);
  const std::uint32_t most = std::min(profile.gpus_most, gpus_of(world_.cluster, type));
  const auto only = [&](std::uint32_t gpus) {
    const bool possible = runs(profile, {.gpus = gpus, .batch = batch});
    return Span{.low = batch, .high = possible ? batch : 0};
  };
  if (!profile.is_table() && !profile.is_front() && batch > 0)
    look_at_all(search, world_.cluster, type, most, only);
  return known->second = search.least();
}

Use LeastUse::as_asked(const TracedJob& traced, const Profile& profile, std::uint32_t type) const {
  Search search(profile, draws_[type].least, tells_hull_);
  const double batch = traced.job.batch;
  if (profile.is_table()) {
    for_each_spread(traced.job.gpus, largest_node(world_.cluster, type), [&](std::uint32_t nodes) {
      search.look_up({.gpus = traced.job.gpus, .nodes = nodes});
    });
    return search.least();
  }
  if (profile.is_front()) {
    for (const double clock : all_clocks(world_.cluster.types[type]))
      search.look_up({.gpus = traced.job.gpus, .clock = clock});
    return search.least();
  }
  if (batch <= 0) return search.least();
  for (const double clock : all_clocks(world_.cluster.types[type]))
    for_each_spread(traced.job.gpus, largest_node(world_.cluster, type), [&](std::uint32_t nodes) {
      search.look({.gpus = traced.job.gpus, .nodes = nodes, .clock = clock}, {batch, batch});
    });
  return search.least();
}

namespace {

constexpr double kMegabitsPerGigabyte = 8000;

template <class Q>
double least_of(const Signal<Q>& signal) {
  double least = kUnbounded;
  for (const auto& step : signal.steps()) least = std::min(least, step.value.value());
  return least;
}

}  // namespace

LeastSending::LeastSending(const BoundedWorld& world, const ObjectiveWeights& weights)
    : sites_(world.cluster.sites.size()) {
  const Network& network = world.cluster.network;
  if (network.empty()) return;
  const double kwh = network.energy_per_gigabyte.value() / kJoulesPerKwh;
  for (std::uint32_t from = 0; from < sites_; ++from) {
    const double price = least_of(world.signals[from].price);
    const double grams = least_of(world.signals[from].carbon);
    const double energy = kwh * (weights.joule * kJoulesPerKwh + weights.gram * grams +
                                 weights.transfer * std::max(0.0, price));
    earned_ = std::max(earned_, -kwh * weights.transfer * std::min(0.0, price));
    for (std::uint32_t to = 0; to < sites_; ++to) {
      const Link& link = network.link(SiteId{from}, SiteId{to});
      const double fee = weights.transfer * link.per_gigabyte.value();
      add(from == to, link, fee + energy);
    }
  }
  shorten(cost_);
  shorten(seconds_);
}

void LeastSending::add(bool stays, const Link& link, double cost) {
  const bool joined = link.megabits_per_second > 0;
  const double time = joined ? kMegabitsPerGigabyte / link.megabits_per_second : kUnbounded;
  cost_.push_back(stays ? 0 : joined ? cost : kUnbounded);
  seconds_.push_back(stays ? 0 : time);
}

/// By way of others, where that is less.
void LeastSending::shorten(std::vector<double>& ways) const {
  for (std::size_t over = 0; over < sites_; ++over)
    for (std::size_t from = 0; from < sites_; ++from)
      for (std::size_t to = 0; to < sites_; ++to) {
        double& way = ways[from * sites_ + to];
        way = std::min(way, ways[from * sites_ + over] + ways[over * sites_ + to]);
      }
}

}  // namespace penstock
