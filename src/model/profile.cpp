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

double part_between(double least, double value, double most) {
  return (value - least) / (most - least);
}

}  // namespace

FrontPoint front_at(const Profile& profile, double clock) {
  const std::vector<FrontPoint>& front = profile.front;
  const double seconds = front.front().seconds / clock;
  const auto after = std::ranges::upper_bound(front, seconds, {}, &FrontPoint::seconds);
  const FrontPoint& before = after == front.begin() ? *after : *(after - 1);
  if (after == front.begin()) return before;
  if (after == front.end()) {
    const double waits = seconds - before.seconds;
    return {seconds, before.joules + profile.power.p0.value() * profile.gpus_most * waits};
  }
  const double part = part_between(before.seconds, seconds, after->seconds);
  return {seconds, before.joules + part * (after->joules - before.joules)};
}

double clock_slowdown(double delta, double clock) {
  return delta + (1 - delta) / clock;
}

Watts computing_draw(const PowerModel& power, double clock) {
  return power.p0 + power.p1 * clock + power.p3 * (clock * clock * clock);
}

Config in_parts(const Profile& profile, Config config) {
  const BatchRange& range = profile.batch;
  const double local = config.batch / config.gpus;
  const bool fits =
      profile.is_table() || profile.is_front() || !range.accumulates || local <= range.local_most;
  config.parts = fits ? 1 : std::ceil(local / range.local_most);
  return config;
}

IterationTime iteration_time(const SpeedModel& model, const Config& config) {
  const double local = config.batch / config.gpus / config.parts;
  const double compute =
      (model.alpha_c + model.beta_c * local) * clock_slowdown(model.delta, config.clock);
  const double sync = sync_time(model, config);
  const double earlier = compute * (config.parts - 1);
  return {earlier + compute, sync, earlier + overlapped(compute, sync, model.gamma)};
}

double efficiency(const NoiseModel& model, double batch) {
  if (!model.scale) return 1;
  return (*model.scale + model.base) / (*model.scale + batch);
}

double throughput(const Profile& profile, const Config& config) {
  if (profile.is_table()) return 1 / epoch_time(profile.epoch_seconds, config);
  if (profile.is_front())
    return config.gpus / (front_at(profile, config.clock).seconds * profile.gpus_most);
  return config.batch * efficiency(profile.noise, config.batch) /
         iteration_time(profile.speed, in_parts(profile, config)).total;
}

Watts draw(const Profile& profile, const Config& config) {
  const PowerModel& power = profile.power;
  if (profile.is_table()) return (power.p0 + power.p1 + power.p3) * config.gpus;
  if (profile.is_front()) {
    const FrontPoint point = front_at(profile, config.clock);
    return Watts(point.joules / point.seconds / profile.gpus_most) * config.gpus;
  }
  const IterationTime time = iteration_time(profile.speed, in_parts(profile, config));
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
  if (profile.is_front()) return config.gpus == profile.gpus_most;
  const double local = config.batch / config.gpus;
  return config.gpus >= std::max(profile.gpus_least, 1u) && config.gpus <= profile.gpus_most &&
         local >= 1 && (profile.batch.accumulates || local <= profile.batch.local_most);
}

bool adapts_batch(const Profile& profile) {
  return !profile.is_table() && !profile.is_front() && profile.noise.scale.has_value();
}

bool may_have_batch(const Profile& profile, double batch, double asked) {
  if (batch == asked) return true;
  return adapts_batch(profile) && batch >= profile.batch.least && batch <= profile.batch.most;
}

double asked_batch(const Profile& profile, double named, std::uint32_t gpus) {
  const BatchRange& range = profile.batch;
  double batch = named > 0 ? named : profile.batch_usual * gpus;
  if (adapts_batch(profile)) batch = std::clamp(batch, range.least, range.most);
  if (!range.accumulates) batch = std::min(batch, range.local_most * gpus);
  return std::max(batch, double(gpus));
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
