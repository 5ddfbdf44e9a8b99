#include "solve/least_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "worlds/world.h"

namespace penstock {
namespace {

/// One unit of work of a kind on one type of GPU: nodes of four, with clocks of 500 and 1000 MHz.
class LeastUseTest : public testing::Test {
 protected:
  LeastUseTest() {
    GpuType& type = world.cluster.types[0];
    type.min_clock_mhz = type.clock_step_mhz = 500;
    type.max_clock_mhz = 1000;
    world.models = Models(1);
    world.models.add_kind();
  }
  /// What a job needs that asks for so many GPUs and such a batch.
  Use use_of(const Profile& profile, std::uint32_t gpus, double batch) {
    world.models.set(KindId{0}, {}, profile);
    const BoundedWorld bounded{.cluster = world.cluster,
                               .signals = world.signals,
                               .costs = world.costs,
                               .models = &world.models,
                               .start = world.start()};
    draws = gpu_draws(bounded);
    const TracedJob traced{
        .job = {.gpus = gpus, .kind_id = KindId{0}, .work = Work(1), .batch = batch},
        .work = Work(1)};
    return LeastUse(bounded, draws).unit(traced)[0];
  }

  World world = one_site(2, 4);
  std::vector<GpuDraw> draws{};
};

/// Parts of four samples take 1 s each, and one second more.
Profile in_fours() {
  return {.speed = {.alpha_c = 1, .beta_c = 0.25},
          .power = {.p0 = Watts(100), .p3 = Watts(200)},
          .batch = {.least = 4, .most = 16, .local_most = 4},
          .gpus_most = 1};
}

TEST_F(LeastUseTest, of_a_fixed_batch_is_what_its_parts_take) {
  const Use use = use_of(in_fours(), 1, 8);  // 4 s for 8 samples, at 250 W more than idle
  EXPECT_NEAR(use.seconds, 0.5, 0.002);
  EXPECT_LE(use.seconds, 0.5);
  EXPECT_NEAR(use.gpu_seconds, 0.5, 0.002);
  // At half the clock 8 s at 75 W more than idle.
  EXPECT_NEAR(use.joules, 8 * 75 / 8.0, 0.2);
  EXPECT_LE(use.joules, 8 * 75 / 8.0);
}

TEST_F(LeastUseTest, of_a_front_is_that_of_its_quickest_and_of_its_thriftiest_clock) {
  const Profile front{.front = {{10, 8000}, {20, 6000}},
                      .power = {.p0 = Watts(60)},
                      .gpus_least = 4,
                      .gpus_most = 4};
  const Use use = use_of(front, 4, 4);
  EXPECT_NEAR(use.seconds, 10, 0.05);
  EXPECT_NEAR(use.gpu_seconds, 40, 0.2);
  EXPECT_NEAR(use.joules, 6000 - 20 * 4 * draws[0].least, 15);
  EXPECT_LE(use.joules, 6000 - 20 * 4 * draws[0].least);
}

TEST_F(LeastUseTest, of_a_batch_that_is_not_free_counts_no_other) {
  Profile profile = in_fours();
  EXPECT_NEAR(use_of(profile, 1, 4).seconds, 0.5, 0.002);
  profile.batch.local_most = 16;
  EXPECT_NEAR(use_of(profile, 1, 4).seconds, 0.5, 0.002);
  profile.noise.scale = 1e17;  // every sample counts the same: 16 of them take 5 s
  EXPECT_NEAR(use_of(profile, 1, 4).seconds, 5 / 16.0, 0.002);
}

/// Profiles with and without free batches and accumulation, and ways in which they may run.
class WayDice {
 public:
  explicit WayDice(std::uint64_t seed) : rng_(Rng(seed).stream("ways")) {}

  Profile profile() {
    Profile profile{.speed = {.alpha_c = real(0, 0.1), .beta_c = real(1e-4, 0.01)},
                    .gpus_most = between(1, 8)};
    profile.speed.alpha_r = real(0, 0.3);
    profile.speed.alpha_n = real(0, 0.6);
    profile.speed.beta_n = real(0, 0.01);
    profile.speed.gamma = real(1, 10);
    profile.speed.delta = real(0, 1);
    profile.power = {Watts(real(50, 100)), Watts(real(0, 100)), Watts(real(50, 200)),
                     Watts(real(0, 100))};
    profile.batch = {.least = double(between(1, 32)),
                     .most = double(between(32, 256)),
                     .local_most = real(1, 64),
                     .accumulates = rng_.uniform() < 0.7};
    if (rng_.uniform() < 0.7) profile.noise = {.base = real(1, 64), .scale = real(1, 1000)};
    return profile;
  }

  /// A way in which a job that asks for `asked` may run; often one that fills the memory.
  Config way(const Profile& profile, const Config& asked) {
    Config config = asked;
    config.gpus = between(1, profile.gpus_most);
    const double full = profile.batch.local_most * config.gpus * between(1, 8);
    const double any = real(profile.batch.least, profile.batch.most);
    const double batch = rng_.uniform() < 0.3 ? full : any;
    if (rng_.uniform() < 0.8 && may_have_batch(profile, batch, asked.batch)) config.batch = batch;
    if (!runs(profile, config)) config = asked;
    config.nodes = config.gpus > 4 ? 2 : between(1, std::min(config.gpus, 2u));
    config.clock = rng_.uniform() < 0.5 ? 0.5 : 1;
    return config;
  }

  double real(double least, double most) { return least + (most - least) * rng_.uniform(); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }

 private:
  Rng rng_;
};

TEST_F(LeastUseTest, is_never_more_than_any_way_needs) {
  std::size_t in_several_parts = 0;
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "case " << seed);
    WayDice dice(seed);
    const Profile profile = dice.profile();
    Config asked{.gpus = dice.between(1, 8)};
    asked.batch = asked_batch(profile, dice.between(1, 300), asked.gpus);
    const Use use = use_of(profile, asked.gpus, asked.batch);
    ASSERT_TRUE(use.possible);
    for (int i = 0; i < 100; ++i) {
      const Config way = dice.way(profile, asked);
      in_several_parts += in_parts(profile, way).parts > 1;
      const double speed = throughput(profile, way);
      const double joules = (draw(profile, way).value() - draws[0].least * way.gpus) / speed;
      EXPECT_LE(use.seconds, 1 / speed);
      EXPECT_LE(use.gpu_seconds, way.gpus / speed);
      EXPECT_LE(use.joules, joules * (1 + 1e-9)) << way.gpus << " GPUs, a batch of " << way.batch;
    }
  }
  EXPECT_GT(in_several_parts, 10'000u);
}

}  // namespace
}  // namespace penstock
