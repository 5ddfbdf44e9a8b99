#include "model/profile.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

double sync_time(const SpeedModel& model, const Config& config) {
  if (config.gpus <= 1) return 0;
  const double further = config.gpus - 2;
  return config.nodes <= 1 ? model.alpha_r + model.beta_r * further
                           : model.alpha_n + model.beta_n * further;
}

/// (a^γ + b^γ)^(1/γ), without overflow for small or large times.
double overlapped(double a, double b, double gamma) {
  const double larger = std::max(a, b);
  const double ratio = std::min(a, b) / larger;
  if (gamma == 1 || ratio == 0) return larger * (1 + ratio);
  return larger * std::pow(1 + std::pow(ratio, gamma), 1 / gamma);
}

/// Seconds for an epoch; by the nearest way that the table holds if it does not hold this one.
double epoch_time(const std::vector<double>& table, const Config& config) {
  const std::size_t on_each = config.gpus / std::max(config.nodes, 1u);
  for (std::size_t gpus = std::min(on_each, table.size()); gpus > 0; --gpus)
    if (table[gpus - 1] > 0) return table[gpus - 1];
  return *std::ranges::find_if(table, [](double seconds) { return seconds > 0; });
}

}  // namespace

double clock_slowdown(double delta, double clock) {
  return delta + (1 - delta) / clock;
}

Watts computing_draw(const PowerModel& power, double clock) {
  return power.p0 + power.p1 * clock + power.p3 * (clock * clock * clock);
}

IterationTime iteration_time(const SpeedModel& model, const Config& config) {
  const double local = config.batch / config.gpus;
  const double compute =
      (model.alpha_c + model.beta_c * local) * clock_slowdown(model.delta, config.clock);
  const double sync = sync_time(model, config);
  return {compute, sync, overlapped(compute, sync, model.gamma)};
}

double efficiency(const NoiseModel& model, double batch) {
  if (!model.scale) return 1;
  return (*model.scale + model.base) / (*model.scale + batch);
}

double throughput(const Profile& profile, const Config& config) {
  if (profile.is_table()) return 1 / epoch_time(profile.epoch_seconds, config);
  return config.batch * efficiency(profile.noise, config.batch) /
         iteration_time(profile.speed, config).total;
}

Watts draw(const Profile& profile, const Config& config) {
  const PowerModel& power = profile.power;
  if (profile.is_table()) return (power.p0 + power.p1 + power.p3) * config.gpus;
  const IterationTime time = iteration_time(profile.speed, config);
  const Watts computing = computing_draw(power, config.clock);
  const Watts waiting = power.p0 + power.p1_sync * config.clock;
  const double share = std::min(1.0, time.compute / time.total);
  return (computing * share + waiting * (1 - share)) * config.gpus;
}

bool runs(const Profile& profile, const Config& config) {
  if (profile.is_table())
    return config.gpus >= std::max(profile.gpus_least, 1u) &&
           config.gpus <= profile.epoch_seconds.size() && config.nodes <= 1 &&
           profile.epoch_seconds[config.gpus - 1] > 0;
  const double local = config.batch / config.gpus;
  return config.gpus >= std::max(profile.gpus_least, 1u) && config.gpus <= profile.gpus_most &&
         config.batch >= profile.batch.least && config.batch <= profile.batch.most && local >= 1 &&
         local <= profile.batch.local_most;
}

Profile table_profile(std::string name, std::string gpu,
                      const std::vector<std::pair<std::uint32_t, double>>& seconds) {
  Profile profile{.name = std::move(name), .gpu = std::move(gpu)};
  for (const auto& [gpus, epoch] : seconds) {
    if (profile.epoch_seconds.size() < gpus) profile.epoch_seconds.resize(gpus, 0);
    profile.epoch_seconds[gpus - 1] = epoch;
  }
  profile.gpus_most = static_cast<std::uint32_t>(profile.epoch_seconds.size());
  return profile;
}

}  // namespace penstock
