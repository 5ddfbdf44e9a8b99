#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "base/rng.h"
#include "worlds/world.h"

namespace penstock {

/// Lets most jobs of a world scale: gives its GPU types clocks, draws two or three kinds of
/// training that are sane and unlike each other, and counts the work of jobs in samples.
class ElasticDice {
 public:
  /// `world` must outlive the dice. With `fronts` about half of the kinds are pipelines; the others
  /// are the same without them.
  ElasticDice(std::uint64_t seed, World& world, bool fronts = false)
      : rng_(Rng(seed).stream("elastic")),
        memory_rng_(Rng(seed).stream("memory")),
        front_rng_(Rng(seed).stream("front")),
        world_(world),
        fronts_(fronts) {}

  void roll() {
    for (GpuType& type : world_.cluster.types) roll_clocks(type);
    world_.models = Models(world_.cluster.types.size());
    for (std::uint32_t n = between(2, 3); n > 0; --n) roll_kind();
    for (TracedJob& traced : world_.jobs)
      if (rng_.uniform() < 0.7) scale(traced);
  }

 private:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }
  double real(double least, double most) { return least + (most - least) * rng_.uniform(); }

  void roll_clocks(GpuType& type) {
    type.clock_step_mhz = between(5, 20) * 15;
    type.min_clock_mhz = between(20, 40) * 15;
    type.max_clock_mhz = type.min_clock_mhz + between(1, 8) * type.clock_step_mhz;
  }

  void roll_kind() {
    const KindId kind = world_.models.add_kind();
    const BatchRange batch{.least = double(between(1, 4) * 4),
                           .most = double(between(8, 64) * 8),
                           .local_most = double(between(2, 16) * 8),
                           .accumulates = memory_rng_.uniform() < 0.6};
    const NoiseModel noise{
        .base = batch.least,
        .scale = rng_.uniform() < 0.5 ? std::optional(real(10, 500)) : std::nullopt};
    const std::uint32_t gpus_most = between(2, 16);
    const bool is_front = fronts_ && front_rng_.uniform() < 0.5;
    for (std::uint32_t i = 0; i < world_.cluster.types.size(); ++i) {
      Profile profile{.name = "kind-" + std::to_string(kind.index),
                      .gpu = world_.cluster.types[i].name,
                      .speed = roll_speed(),
                      .power = roll_power(world_.cluster.types[i]),
                      .noise = noise,
                      .batch = batch,
                      .batch_usual = batch.least,
                      .gpus_most = gpus_most};
      if (is_front) make_front(profile, 1 + gpus_most % 6, world_.cluster.types[i]);
      world_.models.set(kind, GpuTypeId{i}, std::move(profile));
    }
  }

  /// A pipeline over so many GPUs, with up to three points.
  void make_front(Profile& profile, std::uint32_t gpus, const GpuType& type) {
    const double seconds = 0.1 + front_rng_.uniform();
    const Watts busy = (type.peak - type.idle) * gpus;
    for (std::uint64_t i = 0, points = 1 + front_rng_.below(3); i < points; ++i) {
      const auto step = static_cast<double>(i);
      const double takes = seconds * (1 + 0.3 * step);
      const double joules =
          profile.power.p0.value() * gpus * takes + busy.value() * seconds * (0.8 - 0.25 * step);
      const bool saves = profile.front.empty() || joules < profile.front.back().joules;
      if (saves) profile.front.push_back({takes, joules});
    }
    profile.gpus_least = profile.gpus_most = gpus;
    profile.noise = {};
  }

  SpeedModel roll_speed() {
    SpeedModel speed{.alpha_c = real(0.005, 0.1), .beta_c = real(0.0005, 0.01)};
    speed.alpha_r = real(0, 0.05);
    speed.beta_r = real(0, 0.003);
    speed.alpha_n = speed.alpha_r * real(1, 3);
    speed.beta_n = speed.beta_r * real(0.5, 2);
    speed.gamma = real(1, 4);
    speed.delta = real(0, 0.7);
    return speed;
  }

  PowerModel roll_power(const GpuType& type) {
    const double span = type.peak.value() - type.idle.value();
    return {.p0 = type.idle * real(1, 1.3),
            .p1 = Watts(span * real(0, 0.4)),
            .p3 = Watts(span * real(0.2, 0.5)),
            .p1_sync = Watts(span * real(0, 0.3))};
  }

  /// What it asks for takes the time that it would have taken as a rigid job.
  void scale(TracedJob& traced) {
    Job& job = traced.job;
    const auto kinds = static_cast<std::uint32_t>(world_.models.kinds());
    job.kind_id = KindId{between(0, kinds - 1)};
    const GpuTypeId type{std::min(static_cast<std::uint32_t>(std::countr_zero(job.gpu_types)),
                                  static_cast<std::uint32_t>(world_.cluster.types.size()) - 1)};
    const Profile& profile = *world_.models.find(job, type);
    job.batch = std::max(double(job.gpus), double(between(1, 32) * 4));  // not always in range
    const Config asked{.gpus = job.gpus, .batch = job.batch};
    const Speed speed(throughput(profile, asked) / 1e3);
    traced.work = speed * traced.actual;
    job.work = speed * job.requested;
  }

  Rng rng_;
  Rng memory_rng_;
  Rng front_rng_;
  World& world_;
  bool fronts_ = false;
};

}  // namespace penstock
