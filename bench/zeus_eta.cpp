// What the clock saves that Zeus's trade-off chooses, against the highest: for the networks that
// Zeus's authors measured on a V100, by their power limits as measured and by the clocks of our
// fitted models. The table of docs/powerflow.md, "Rivals".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/profiles/catalogue.h"
#include "io/profiles/measurement_files.h"
#include "policies/elastic/curve.h"

namespace {

using namespace penstock;

constexpr std::array kEtas{0.0, 0.25, 0.5, 0.75, 1.0};

/// Of the work of a job, relative to the highest clock or limit.
struct Ratio {
  double energy = 1;
  double time = 1;
};

struct Means {
  Ratio mean{.energy = 0, .time = 0};
  Ratio least{};
  Ratio most{};
  std::size_t count = 0;

  void add(const Ratio& ratio) {
    const auto weight = 1.0 / static_cast<double>(++count);
    mean.energy += (ratio.energy - mean.energy) * weight;
    mean.time += (ratio.time - mean.time) * weight;
    least.energy = std::min(least.energy, ratio.energy);
    most.time = std::max(most.time, ratio.time);
  }
};

/// The limit of least eta · energy + (1 - eta) · highest limit · time, against the highest.
Ratio of_limits(const LimitSweep& sweep, double eta) {
  const LimitObservation& top = std::ranges::max(sweep.series, {}, &LimitObservation::limit);
  const auto cost = [&](const LimitObservation& seen) {
    return (seen.draw * eta + top.limit * (1 - eta)).value() * seen.seconds;
  };
  const LimitObservation& best = std::ranges::min(sweep.series, {}, cost);
  return {.energy = best.draw.value() * best.seconds / (top.draw.value() * top.seconds),
          .time = best.seconds / top.seconds};
}

Ratio of_clocks(const Profile& profile, const GpuType& type, double eta) {
  const Config fastest{.batch = asked_batch(profile, 0, 1)};
  Config config = fastest;
  config.clock = double(zeus_clock(profile, type, config, eta)) / type.max_clock_mhz;
  const double time = throughput(profile, fastest) / throughput(profile, config);
  return {.energy = draw(profile, config).value() / draw(profile, fastest).value() * time,
          .time = time};
}

void print(double eta, const char* by, const std::map<std::string, Means>& models) {
  Means all;
  for (const auto& [name, means] : models) {
    all.add(means.mean);
    fmt::print("{:>5} {:8} {:20} {:7.1f} {:9.1f}\n", eta, by, name, 100 * means.mean.energy,
               100 * (means.mean.time - 1));
  }
  fmt::print("{:>5} {:8} {:20} {:7.1f} {:9.1f}  (least energy {:.1f}, most slowdown {:.1f})\n", eta,
             by, "mean", 100 * all.mean.energy, 100 * (all.mean.time - 1), 100 * all.least.energy,
             100 * (all.most.time - 1));
}

template <class Value>
Value value_or_exit(Result<Value> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{}\n", result.error().message);
  std::exit(1);
}

}  // namespace

int main() {
  std::vector<std::string> notes;
  const Measurements seen = value_or_exit(
      read_measurements({PENSTOCK_ROOT "/data/profiles/zeus/summary_power_v100.csv.gz"}, notes));
  const auto profiles = value_or_exit(read_profiles(PENSTOCK_ROOT "/data/models/v100.toml"));
  const GpuType& type = *std::ranges::find(gpu_catalogue(), "v100", &GpuType::name);
  fmt::print("{:>5} {:8} {:20} {:>7} {:>9}\n", "eta", "by", "model", "energy%", "slowdown%");
  for (const double eta : kEtas) {
    std::map<std::string, Means> limits;
    for (const LimitSweep& sweep : seen.limits) limits[sweep.model].add(of_limits(sweep, eta));
    print(eta, "limits", limits);
    std::map<std::string, Means> clocks;
    for (const Profile& profile : profiles)
      if (limits.contains(profile.name)) clocks[profile.name].add(of_clocks(profile, type, eta));
    print(eta, "clocks", clocks);
  }
}
