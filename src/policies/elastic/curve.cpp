#include "policies/elastic/curve.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace penstock {
namespace {

constexpr std::uint32_t kMostClocks = 8;

double relative(std::uint32_t mhz, const GpuType& type) {
  return type.max_clock_mhz == 0 ? 1 : static_cast<double>(mhz) / type.max_clock_mhz;
}

/// A table knows nothing of clocks.
std::vector<std::uint32_t> clocks_of(const Profile& profile, const GpuType& type) {
  if (profile.is_table()) return {type.max_clock_mhz};
  return chosen_clocks(type);
}

std::vector<std::uint32_t> clocks_in(const Profile& profile, const GpuType& type,
                                     const CurveContext& context) {
  if (!context.lowers_clocks) return {type.max_clock_mhz};
  return clocks_of(profile, type);
}

/// As few nodes as hold so many GPUs.
Config in_nodes(std::uint32_t gpus, const CurveContext& context) {
  return {.gpus = gpus, .nodes = (gpus + context.node_gpus - 1) / context.node_gpus};
}

}  // namespace

std::optional<double> fastest_batch(const Profile& profile, Config config) {
  const BatchRange& range = profile.batch;
  std::optional<double> best;
  double best_speed = 0;
  const auto consider = [&](double batch) {
    config.batch = batch;
    if (batch < range.least || !runs(profile, config)) return;
    const double speed = throughput(profile, config);
    if (speed <= best_speed) return;
    best_speed = speed;
    best = batch;
  };
  for (const double first : {range.least, range.local_most * config.gpus})
    for (double batch = first; batch < range.most; batch *= 2) consider(batch);
  consider(range.most);
  return best;
}

std::vector<std::uint32_t> chosen_clocks(const GpuType& type) {
  if (type.clock_step_mhz == 0 || type.max_clock_mhz == 0) return {type.max_clock_mhz};
  // Below two fifths of the highest clock every GPU measured needs more energy, not less.
  const std::uint32_t least = std::max(type.min_clock_mhz, type.max_clock_mhz * 2 / 5);
  const std::uint32_t steps = (type.max_clock_mhz - least) / type.clock_step_mhz;
  const std::uint32_t stride = std::max(1u, (steps + kMostClocks - 1) / kMostClocks);
  std::vector<std::uint32_t> clocks;
  for (std::uint32_t i = 0; i <= steps; i += stride)
    clocks.push_back(type.max_clock_mhz - i * type.clock_step_mhz);
  std::ranges::reverse(clocks);
  return clocks;
}

std::uint32_t zeus_clock(const Profile& profile, const GpuType& type, Config config, double eta) {
  const Watts peak = type.peak * config.gpus;
  std::uint32_t best = type.max_clock_mhz;
  double least = 0;
  for (const std::uint32_t mhz : clocks_of(profile, type)) {
    config.clock = relative(mhz, type);
    const Watts weighed = draw(profile, config) * eta + peak * (1 - eta);
    const double cost = weighed.value() / throughput(profile, config);
    if (least != 0 && cost >= least) continue;
    least = cost;
    best = mhz;
  }
  return best;
}

Curve::Curve(const Profile& profile, const GpuType& type, const CurveContext& context,
             const Asked& asked) {
  const std::uint32_t most = asked.keeps_gpus ? 0 : std::min(profile.gpus_most, context.most_gpus);
  for (std::uint32_t gpus = 1; gpus <= most; gpus *= 2) {
    Config config = in_nodes(gpus, context);
    config.batch = asked.batch;
    if (!asked.keeps_batch)
      add_level(profile, type, context, {gpus, std::nullopt});
    else if (runs(profile, config))
      add_level(profile, type, context, {gpus, asked.batch});
  }
  if (profile.is_front() && !std::has_single_bit(most) && runs(profile, {.gpus = most}))
    add_level(profile, type, context, {most, asked.batch});
  if (asked.gpus > most && asked.gpus <= context.most_gpus)
    add_level(profile, type, context, asked_size(asked));
  order_ways();
}

Curve::Curve(std::vector<Way> ways) : ways_(std::move(ways)) {
  for (std::uint32_t i = 0; i < ways_.size(); ++i) {
    if (levels_.empty() || levels_.back().gpus != ways_[i].gpus)
      levels_.push_back({ways_[i].gpus, i, 0});
    ++levels_.back().count;
  }
  order_ways();
}

void Curve::order_ways() {
  fastest_first_.resize(ways_.size());
  std::iota(fastest_first_.begin(), fastest_first_.end(), 0u);
  std::ranges::stable_sort(fastest_first_, std::ranges::greater{},
                           [&](std::uint32_t i) { return ways_[i].speed; });
  find_cheapest_ways();
}

/// The lower convex hull of time over energy.
void Curve::find_cheapest_ways() {
  for (const Way& way : ways_)
    least_gpu_seconds_ = std::min(least_gpu_seconds_, seconds_per_work(way) * way.gpus);
  const auto energy = [&](std::uint32_t i) { return joules_per_work(ways_[i]); };
  const auto time = [&](std::uint32_t i) { return seconds_per_work(ways_[i]); };
  std::vector<std::uint32_t> order(ways_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {},
                           [&](std::uint32_t i) { return std::pair(energy(i), time(i)); });
  const auto price = [&](std::uint32_t from, std::uint32_t to) {
    return (time(from) - time(to)) / (energy(to) - energy(from));
  };
  for (const std::uint32_t i : order) {
    if (!cheapest_ways_.empty() && time(i) >= time(cheapest_ways_.back().way)) continue;
    while (cheapest_ways_.size() > 1 &&
           price(cheapest_ways_.back().way, i) >= cheapest_ways_.back().below)
      cheapest_ways_.pop_back();
    const double below = cheapest_ways_.empty() ? std::numeric_limits<double>::infinity()
                                                : price(cheapest_ways_.back().way, i);
    cheapest_ways_.push_back({i, below});
  }
}

const Way& Curve::cheapest(double price) const {
  const auto after =
      std::ranges::lower_bound(cheapest_ways_, price, std::ranges::greater{}, &CheapestWay::below);
  const auto at = after == cheapest_ways_.begin() ? after : after - 1;
  return ways_[at->way];
}

/// The size that was asked for: beyond the range of the profile with the batch asked for.
Curve::Size Curve::asked_size(const Asked& asked) {
  if (asked.keeps_gpus && !asked.keeps_batch) return {asked.gpus, std::nullopt};
  return {asked.gpus, asked.batch};
}

/// With one batch or, at each clock, the fastest.
void Curve::add_level(const Profile& profile, const GpuType& type, const CurveContext& context,
                      const Size& size) {
  Config config = in_nodes(size.gpus, context);
  std::vector<Way> ways;
  for (const std::uint32_t mhz : clocks_in(profile, type, context)) {
    config.clock = relative(mhz, type);
    const std::optional<double> batch = size.batch ? size.batch : fastest_batch(profile, config);
    if (!batch) return;
    config.batch = *batch;
    ways.push_back({.gpus = size.gpus,
                    .clock_mhz = mhz,
                    .batch = *batch,
                    .speed = Speed(throughput(profile, config) / 1e3),
                    .draw = std::max(draw(profile, config) - context.idle * size.gpus, Watts(1)),
                    .nodes = context.node * size.gpus});
  }
  const auto thriftiest = std::ranges::min_element(ways, {}, joules_per_work);
  levels_.push_back({size.gpus, static_cast<std::uint32_t>(ways_.size()),
                     static_cast<std::uint32_t>(ways.end() - thriftiest)});
  ways_.insert(ways_.end(), thriftiest, ways.end());
}

std::uint32_t Curve::level_of(std::uint32_t way) const {
  const auto after = std::ranges::upper_bound(levels_, way, {}, &Level::first);
  return static_cast<std::uint32_t>(after - levels_.begin()) - 1;
}

std::optional<std::uint32_t> Curve::faster_clock(std::uint32_t way) const {
  const Level& level = levels_[level_of(way)];
  if (way + 1 >= level.first + level.count) return std::nullopt;
  return way + 1;
}

std::optional<std::uint32_t> Curve::more_gpus(std::uint32_t way) const {
  for (std::uint32_t next = level_of(way) + 1; next < levels_.size(); ++next) {
    const Level& level = levels_[next];
    for (std::uint32_t i = level.first; i < level.first + level.count; ++i)
      if (ways_[i].speed > ways_[way].speed) return i;
  }
  return std::nullopt;
}

}  // namespace penstock
