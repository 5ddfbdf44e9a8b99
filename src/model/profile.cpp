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

}  // namespace

IterationTime iteration_time(const SpeedModel& model, const Config& config) {
  const double local = config.batch / config.gpus;
  const double slowdown = model.delta + (1 - model.delta) / config.clock;
  const double compute = (model.alpha_c + model.beta_c * local) * slowdown;
  const double sync = sync_time(model, config);
  return {compute, sync, overlapped(compute, sync, model.gamma)};
}

double efficiency(const NoiseModel& model, double batch) {
  if (!model.scale) return 1;
  return (*model.scale + model.base) / (*model.scale + batch);
}

double throughput(const Profile& profile, const Config& config) {
  return config.batch * efficiency(profile.noise, config.batch) /
         iteration_time(profile.speed, config).total;
}

Watts draw(const Profile& profile, const Config& config) {
  const PowerModel& power = profile.power;
  const double f = config.clock;
  const IterationTime time = iteration_time(profile.speed, config);
  const Watts computing = power.p0 + power.p1 * f + power.p3 * (f * f * f);
  const Watts waiting = power.p0 + power.p1_sync * f;
  const double share = std::min(1.0, time.compute / time.total);
  return (computing * share + waiting * (1 - share)) * config.gpus;
}

bool runs(const Profile& profile, const Config& config) {
  const double local = config.batch / config.gpus;
  return config.gpus >= 1 && config.gpus <= profile.gpus_most &&
         config.batch >= profile.batch.least && config.batch <= profile.batch.most && local >= 1 &&
         local <= profile.batch.local_most;
}

}  // namespace penstock
