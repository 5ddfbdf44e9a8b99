#include "fit/held_out.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace penstock {
namespace {

struct Sum {
  double errors = 0;
  double count = 0;
  void add(double error) {
    errors += std::abs(error);
    ++count;
  }
  double mean() const { return count > 0 ? errors / count : -1; }
};

using Key = std::function<double(const SpeedObservation&)>;

/// Leaves out each value of the key in turn and adds the errors of what was left out.
Sum leave_out(const SpeedTable& table, const Key& key, const SpeedPrior& prior,
              SpeedHeldOut& worst) {
  std::set<double> values;
  for (const SpeedObservation& seen : table.points) values.insert(key(seen));
  Sum sum;
  if (values.size() < 2) return sum;
  for (const double value : values) {
    std::vector<SpeedObservation> kept;
    std::vector<SpeedObservation> left_out;
    for (const SpeedObservation& seen : table.points)
      (key(seen) == value ? left_out : kept).push_back(seen);
    const SpeedModel model = fit_speed(kept, prior).model;
    for (const SpeedObservation& seen : left_out) {
      const double error = seen.seconds / iteration_time(model, seen.config).total - 1;
      sum.add(error);
      if (std::abs(error) <= std::abs(worst.worst_error)) continue;
      worst.worst = seen;
      worst.worst_error = error;
    }
  }
  return sum;
}

constexpr std::size_t kBlocks = 5;

/// Which fifth of the clocks of all series this one belongs to.
std::size_t block_of(const std::vector<double>& clocks, double clock) {
  const auto place = std::ranges::lower_bound(clocks, clock) - clocks.begin();
  return static_cast<std::size_t>(place) * kBlocks / clocks.size();
}

/// Errors of draw and energy.
struct PowerSums {
  Sum draw{};
  Sum energy{};
  void add(const PowerError& error) {
    draw.add(error.draw);
    energy.add(error.energy);
  }
  PowerHeldOut means() const { return {draw.mean(), energy.mean()}; }
};

using IsLeftOut = std::function<bool(const ClockObservation&)>;

/// Fits without some points and adds the errors at them; not where a series would be empty.
void add_left_out(std::span<const ClockSeries> series, const PowerPrior& prior,
                  const IsLeftOut& is_left_out, PowerSums& sums) {
  std::vector<ClockSeries> kept(series.begin(), series.end());
  for (ClockSeries& one : kept) std::erase_if(one, is_left_out);
  if (std::ranges::any_of(kept, &ClockSeries::empty)) return;
  const PowerFit fit = fit_power(kept, prior);
  for (std::size_t i = 0; i < series.size(); ++i)
    for (const ClockObservation& seen : series[i])
      if (is_left_out(seen)) sums.add(power_error(fit, fit.seconds[i], seen));
}

}  // namespace

SpeedHeldOut hold_out(const SpeedTable& table, const SpeedPrior& prior) {
  SpeedHeldOut result;
  const Sum gpus =
      leave_out(table, [](const auto& seen) { return double(seen.config.gpus); }, prior, result);
  const auto batch = [&](const SpeedObservation& seen) {
    return table.batch_per_gpu ? seen.config.batch / seen.config.gpus : seen.config.batch;
  };
  const Sum batches = leave_out(table, batch, prior, result);
  result.by_gpus = gpus.mean();
  result.by_batch = batches.mean();
  result.both = Sum{gpus.errors + batches.errors, gpus.count + batches.count}.mean();
  return result;
}

PowerHeldOut hold_out(std::span<const ClockSeries> series, const PowerPrior& prior) {
  std::set<double> distinct;
  for (const ClockSeries& one : series)
    for (const ClockObservation& seen : one) distinct.insert(seen.clock);
  const std::vector<double> clocks(distinct.begin(), distinct.end());
  PowerSums sums;
  for (std::size_t block = 0; block < kBlocks && clocks.size() >= kBlocks; ++block)
    add_left_out(
        series, prior,
        [&](const ClockObservation& seen) { return block_of(clocks, seen.clock) == block; }, sums);
  return sums.means();
}

PowerHeldOut hold_out(const LimitSeries& series, const PowerPrior& prior) {
  PowerSums sums;
  for (std::size_t i = 0; i < series.size() && series.size() > 2; ++i) {
    std::vector<LimitSeries> kept{series};
    kept[0].erase(kept[0].begin() + static_cast<std::ptrdiff_t>(i));
    const PowerFit fit = fit_power(kept, prior);
    sums.add(power_error(fit, fit.seconds[0], series[i]));
  }
  return sums.means();
}

}  // namespace penstock
