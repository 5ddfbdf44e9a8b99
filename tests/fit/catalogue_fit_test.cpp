#include "fit/catalogue_fit.h"

#include <gtest/gtest.h>

#include "fit/power_fit.h"

namespace penstock {
namespace {

constexpr SpeedModel kSpeed{0.02, 0.002, 0.03, 0.002, 0.06, 0.0004, 1.5, 0};
constexpr PowerModel kPower{Watts(120), Watts(0), Watts(240), Watts(0)};

SpeedTable table_of(std::string model, std::string gpu, std::string source, double batches) {
  SpeedTable table{.model = std::move(model), .gpu = std::move(gpu), .source = std::move(source)};
  for (double batch = 64; batch < 64 * batches + 1; batch += 64)
    for (std::uint32_t gpus = 1; gpus <= 16; gpus *= 2) {
      const Config config{gpus, (gpus + 7) / 8, batch, 1};
      table.points.push_back({config, iteration_time(kSpeed, config).total});
    }
  return table;
}

ClockSweep sweep_on(std::string gpu) {
  ClockSweep sweep{
      .model = "gpt3", .gpu = std::move(gpu), .source = "Perseus", .highest_mhz = 1000};
  auto& series = sweep.series.emplace_back();
  for (int i = 20; i >= 8; --i)
    series.push_back({i / 20.0, clock_slowdown(0.1, i / 20.0), computing_draw(kPower, i / 20.0)});
  return sweep;
}

TEST(CatalogueFit, gives_a_model_without_power_measurements_the_curve_of_its_gpu) {
  const Measurements seen{.speeds = {table_of("vgg16", "a100", "ElasticFlow", 3)},
                          .clocks = {sweep_on("a100")}};
  const FittedCatalogue fitted = fit_catalogue(seen);
  ASSERT_EQ(fitted.profiles.size(), 1u);
  const Profile& profile = fitted.profiles[0].profile;
  EXPECT_EQ(profile.gpus_most, 16u);
  EXPECT_EQ(profile.batch, (BatchRange{64, 192, 192}));
  EXPECT_EQ(profile.batch_usual, 128);
  EXPECT_NEAR(profile.speed.delta, 0.1, 0.02);
  // No network was measured under power limits, so the top is 85 % of 400 W, a third of it fixed.
  EXPECT_NEAR((profile.power.p0 + profile.power.p1 + profile.power.p3).value(), 340, 1e-6);
  EXPECT_NEAR(profile.power.p0.value(), 340.0 / 3, 10);
  EXPECT_NE(profile.source.find("transferred from Perseus's a100 sweep"), std::string::npos);
  EXPECT_LT(fitted.profiles[0].errors.speed_held_out, 0.05);
  EXPECT_LT(fitted.profiles[0].errors.power_in, 0);
}

TEST(CatalogueFit, takes_for_usual_on_each_gpu_what_it_has_on_the_fewest) {
  SpeedTable table = table_of("vgg16", "a100", "ElasticFlow", 3);
  std::erase_if(table.points, [](const SpeedObservation& seen) { return seen.config.gpus == 1; });
  const Profile profile = fit_catalogue({.speeds = {table}}).profiles[0].profile;
  EXPECT_EQ(profile.batch, (BatchRange{64, 192, 96})) << "192 on two GPUs";
  EXPECT_EQ(profile.batch_usual, 64);
}

TEST(CatalogueFit, finds_the_clock_of_least_energy_where_it_was_measured) {
  const FittedCatalogue fitted = fit_catalogue({.clocks = {sweep_on("a100")}});
  ASSERT_EQ(fitted.powers.size(), 1u);
  EXPECT_EQ(fitted.powers[0].best_measured, 600);
  EXPECT_NEAR(fitted.powers[0].best_fitted, 600, 50);
  EXPECT_LT(fitted.powers[0].excess, 0.01);
  EXPECT_LT(fitted.powers[0].held_out.energy, 0.05);
}

TEST(CatalogueFit, takes_the_source_with_the_most_points_under_whatever_name) {
  const Measurements seen{
      .speeds = {table_of("resnet50", "t4", "Gavel", 1), table_of("imagenet", "t4", "Pollux", 3)}};
  const FittedCatalogue fitted = fit_catalogue(seen);
  ASSERT_EQ(fitted.profiles.size(), 1u);
  EXPECT_EQ(fitted.profiles[0].profile.name, "resnet50");
  EXPECT_EQ(fitted.profiles[0].profile.aliases[0], "imagenet");
  EXPECT_EQ(fitted.profiles[0].errors.speed_in, fitted.speeds[1].fit.error);
}

TEST(CatalogueFit, lets_a_training_use_the_batches_it_was_validated_with) {
  const Measurements seen{.speeds = {table_of("bert", "a100", "ElasticFlow", 2)},
                          .noise = {{"bert", "Pollux", {{16, 1000}, {512, 1500}}}}};
  const Profile profile = fit_catalogue(seen).profiles[0].profile;
  EXPECT_EQ(profile.batch, (BatchRange{16, 512, 128}));
  EXPECT_EQ(profile.noise.base, 16);
  EXPECT_TRUE(profile.noise.scale);
}

}  // namespace

}  // namespace penstock
