#include "policies/elastic/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace penstock {
namespace {

GpuType plain_type() {
  return {.name = "gpu",
          .min_clock_mhz = 200,
          .max_clock_mhz = 1000,
          .clock_step_mhz = 200,
          .idle = Watts(50),
          .peak = Watts(400)};
}

/// A sample takes a millisecond of one GPU at the highest clock, two at half of it.
Profile plain_profile() {
  return {.name = "plain",
          .gpu = "gpu",
          .speed = {.beta_c = 0.001},
          .power = {.p0 = Watts(100), .p3 = Watts(200)},
          .batch = {.least = 8, .most = 32, .local_most = 16},
          .gpus_most = 8};
}

constexpr CurveContext kAround{.node_gpus = 4, .most_gpus = 6, .idle = Watts(50)};

TEST(ChosenClocks, reach_from_two_fifths_of_the_highest_to_the_highest) {
  EXPECT_EQ(chosen_clocks(plain_type()), (std::vector<std::uint32_t>{400, 600, 800, 1000}));
  GpuType none = plain_type();
  none.min_clock_mhz = none.max_clock_mhz = none.clock_step_mhz = 0;
  EXPECT_EQ(chosen_clocks(none), std::vector<std::uint32_t>{0});
}

TEST(ChosenClocks, are_few_and_listed) {
  for (const GpuType& type : gpu_catalogue()) {
    const auto clocks = chosen_clocks(type);
    EXPECT_LE(clocks.size(), 13u) << type.name;
    EXPECT_EQ(clocks.back(), type.max_clock_mhz) << type.name;
    EXPECT_TRUE(std::ranges::is_sorted(clocks)) << type.name;
    for (const std::uint32_t mhz : clocks)
      EXPECT_TRUE(type.max_clock_mhz == 0 || has_clock(type, mhz)) << type.name << " " << mhz;
  }
}

TEST(ZeusClock, is_where_energy_by_work_is_least_if_time_does_not_count) {
  // 100 + 200 φ³ W by φ of speed: least at φ = (1/4)^(1/3) = 0.63; of the four, at 0.6.
  EXPECT_EQ(zeus_clock(plain_profile(), plain_type(), {.gpus = 1, .batch = 16}, 1), 600u);
}

TEST(ZeusClock, counts_time_at_the_peak_power_of_all_gpus) {
  // (η·(100 + 200 φ³) + (1 - η)·400) / φ: at η = 0.9 least at φ = (130/360)^(1/3) = 0.71; of the
  // four 281.4 J at 0.6 and 277.7 J at 0.8. At η = 0.5 it is least above 1.
  for (const std::uint32_t gpus : {1u, 4u}) {
    const Config config{.gpus = gpus, .batch = 16.0 * gpus};
    EXPECT_EQ(zeus_clock(plain_profile(), plain_type(), config, 0.9), 800u);
    EXPECT_EQ(zeus_clock(plain_profile(), plain_type(), config, 0.5), 1000u);
  }
}

TEST(Curve, has_powers_of_two_from_the_thriftiest_clock_up) {
  const Curve curve(plain_profile(), plain_type(), kAround);
  // Without what it draws idle, a GPU needs 50 + 200 φ³ by φ: 157 at 0.4, 155 at 0.6, 190 at 0.8.
  const std::vector<std::uint32_t> clocks{600, 800, 1000};
  ASSERT_EQ(curve.levels().size(), 3u);
  ASSERT_EQ(curve.ways().size(), 9u);
  for (std::uint32_t i = 0; i < 9; ++i) {
    const Way& way = curve.way(i);
    const double phi = clocks[i % 3] / 1000.0;
    EXPECT_EQ(curve.level_of(i), i / 3);
    EXPECT_EQ(way.gpus, 1u << (i / 3));
    EXPECT_EQ(way.clock_mhz, clocks[i % 3]);
    EXPECT_NEAR(way.speed.value(), way.gpus * phi, 1e-12);
    EXPECT_NEAR(way.draw.value(), way.gpus * (50 + 200 * phi * phi * phi), 1e-9);
    EXPECT_EQ(way.nodes, Watts(0));
  }
}

TEST(Curve, starts_higher_where_gpus_keep_nodes_awake) {
  CurveContext context = kAround;
  context.node = Watts(250);  // 300 + 200 φ³: least at φ = 0.91
  const Curve curve(plain_profile(), plain_type(), context);
  EXPECT_EQ(curve.way(0).clock_mhz, 1000u);
  EXPECT_EQ(curve.way(0).nodes, Watts(250));
  EXPECT_EQ(curve.levels()[2].count, 1u);
  EXPECT_EQ(curve.way(2).nodes, Watts(1000));
}

TEST(Curve, steps_to_the_next_clock_and_to_the_next_gpus_that_are_faster) {
  const auto way = [](std::uint32_t gpus, double speed) {
    return Way{.gpus = gpus, .speed = Speed(speed), .draw = Watts(1)};
  };
  const Curve curve(std::vector{way(1, 1), way(1, 2), way(1, 3), way(2, 1.5), way(2, 2.5),
                                way(4, 0.5), way(8, 2.9), way(8, 5)});
  EXPECT_EQ(curve.faster_clock(0), 1u);
  EXPECT_EQ(curve.faster_clock(2), std::nullopt);
  EXPECT_EQ(curve.faster_clock(5), std::nullopt);
  EXPECT_EQ(curve.faster_clock(7), std::nullopt);
  EXPECT_EQ(curve.more_gpus(0), 3u);
  EXPECT_EQ(curve.more_gpus(1), 4u);
  EXPECT_EQ(curve.more_gpus(2), 7u) << "neither 2 nor 4 GPUs are faster, nor 8 at the low clock";
  EXPECT_EQ(curve.more_gpus(3), 6u);
  EXPECT_EQ(curve.more_gpus(7), std::nullopt);
}

TEST(Curve, of_a_single_way_leads_nowhere) {
  const Curve curve(Way{.gpus = 3, .speed = Speed(1)});
  EXPECT_EQ(curve.faster_clock(0), std::nullopt);
  EXPECT_EQ(curve.more_gpus(0), std::nullopt);
}

TEST(Curve, leaves_out_gpus_on_which_no_batch_runs) {
  Profile profile = plain_profile();
  profile.batch = {.least = 32, .most = 64, .local_most = 16, .accumulates = false};
  const Curve curve(profile, plain_type(), kAround);
  ASSERT_EQ(curve.levels().size(), 2u);
  EXPECT_EQ(curve.levels()[0].gpus, 2u);
}

TEST(Curve, is_empty_where_no_number_of_gpus_runs) {
  Profile profile = plain_profile();
  profile.batch = {.least = 48, .most = 64, .local_most = 16, .accumulates = false};
  profile.gpus_most = 3;
  EXPECT_TRUE(Curve(profile, plain_type(), kAround).empty());
}

TEST(Curve, computes_in_parts_what_no_memory_holds) {
  Profile profile = plain_profile();
  profile.batch = {.least = 48, .most = 64, .local_most = 16};
  const Curve curve(profile, plain_type(), kAround);
  ASSERT_EQ(curve.levels().size(), 3u);
  EXPECT_EQ(curve.way(0).gpus, 1u);
  EXPECT_EQ(curve.way(0).batch, 48) << "three parts, as fast as the four of 64";
}

TEST(Curve, of_a_job_that_keeps_its_batch_has_no_other) {
  const Curve curve(plain_profile(), plain_type(), kAround, {.keeps_batch = true, .batch = 100});
  EXPECT_EQ(curve.levels().size(), 3u);
  for (const Way& way : curve.ways()) EXPECT_EQ(way.batch, 100);
  Profile profile = plain_profile();
  profile.batch.accumulates = false;
  const Curve fits(profile, plain_type(), kAround, {.keeps_batch = true, .batch = 32});
  ASSERT_EQ(fits.levels().size(), 2u);
  EXPECT_EQ(fits.levels()[0].gpus, 2u);
}

TEST(Curve, has_what_was_asked_for_beyond_the_gpus_that_were_measured) {
  Profile profile = plain_profile();
  profile.gpus_most = 2;
  const Curve curve(profile, plain_type(), kAround, {.batch = 60, .gpus = 6});
  ASSERT_EQ(curve.levels().size(), 3u);
  EXPECT_EQ(curve.levels()[2].gpus, 6u);
  const Way& last = curve.ways().back();
  EXPECT_EQ(last.batch, 60);
  EXPECT_EQ(last.clock_mhz, 1000u);
  EXPECT_NEAR(last.speed.value(), 6, 1e-12);
  EXPECT_EQ(curve.more_gpus(curve.levels()[1].first), curve.levels()[2].first);
  EXPECT_EQ(curve.cheapest(0), last);
}

TEST(Curve, has_no_more_gpus_than_there_are_even_if_they_were_asked_for) {
  Profile profile = plain_profile();
  profile.gpus_most = 2;
  const Curve curve(profile, plain_type(), kAround, {.batch = 80, .gpus = 8});
  EXPECT_EQ(curve.levels().size(), 2u);
}

/// Sane kinds of training, and GPUs with clocks of all sorts.
struct CurveCase {
  Profile profile{};
  GpuType type{};
  CurveContext context{};
};

CurveCase random_case(std::uint64_t seed) {
  Rng rng = Rng(seed).stream("curve");
  const auto real = [&](double least, double most) {
    return least + (most - least) * rng.uniform();
  };
  const auto between = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng.below(most - least + 1));
  };
  CurveCase c{.profile = plain_profile(), .type = plain_type()};
  c.type.clock_step_mhz = between(1, 20) * 15;
  c.type.max_clock_mhz = c.type.min_clock_mhz + between(1, 90) * c.type.clock_step_mhz;
  c.profile.speed = {.alpha_c = real(0, 0.1), .beta_c = real(1e-4, 0.01)};
  c.profile.speed.alpha_r = real(0, 0.1);
  c.profile.speed.alpha_n = real(0, 0.2);
  c.profile.speed.beta_n = real(0, 0.003);
  c.profile.speed.gamma = real(1, 10);
  c.profile.speed.delta = real(0, 1);
  c.profile.power = {Watts(real(50, 100)), Watts(real(0, 100)), Watts(real(50, 200)),
                     Watts(real(0, 100))};
  c.profile.batch = {double(between(1, 64)), double(between(64, 512)), double(between(1, 64))};
  if (rng.uniform() < 0.5) c.profile.noise = {real(1, 64), real(1, 1000)};
  c.profile.gpus_most = between(1, 100);
  c.context = {between(1, 8), between(1, 64), Watts(50), Watts(rng.uniform() < 0.5 ? 0 : 60)};
  c.profile.batch.accumulates = rng.uniform() < 0.5;
  return c;
}

TEST(Curve, has_only_ways_that_run_each_faster_than_the_one_before) {
  std::size_t ways = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const CurveCase c = random_case(seed);
    const Curve curve(c.profile, c.type, c.context);
    SCOPED_TRACE(testing::Message() << "case " << seed);
    ways += curve.ways().size();
    for (std::uint32_t i = 0; i < curve.ways().size(); ++i) {
      const Way& way = curve.way(i);
      EXPECT_TRUE(std::has_single_bit(way.gpus));
      EXPECT_LE(way.gpus, c.context.most_gpus);
      EXPECT_TRUE(runs(c.profile, {.gpus = way.gpus, .batch = way.batch}));
      EXPECT_GE(way.batch, c.profile.batch.least);
      EXPECT_LE(way.batch, c.profile.batch.most);
      EXPECT_TRUE(has_clock(c.type, way.clock_mhz));
      EXPECT_GT(way.draw, Watts(0));
      const auto faster = curve.faster_clock(i);
      if (!faster) continue;
      EXPECT_GE(curve.way(*faster).speed.value(), way.speed.value() * (1 - 1e-12));
      EXPECT_GT(curve.way(*faster).clock_mhz, way.clock_mhz);
      EXPECT_EQ(curve.way(*faster).gpus, way.gpus);
    }
  }
  EXPECT_GT(ways, 20'000u);
}

TEST(Curve, begins_each_level_with_the_way_that_needs_least_energy) {
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const CurveCase c = random_case(seed);
    const Curve curve(c.profile, c.type, c.context);
    for (const Curve::Level& level : curve.levels()) {
      const double first = joules_per_work(curve.way(level.first));
      for (std::uint32_t i = level.first; i < level.first + level.count; ++i)
        EXPECT_GE(joules_per_work(curve.way(i)), first) << "case " << seed;
    }
  }
}

TEST(ZeusClock, needs_least_energy_at_1_least_time_at_0_and_is_no_higher_the_more_energy_counts) {
  std::size_t between = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const CurveCase c = random_case(seed);
    SCOPED_TRACE(testing::Message() << "case " << seed);
    Config config{.gpus = std::min(c.profile.gpus_most, 8u)};
    config.batch = asked_batch(c.profile, 0, config.gpus);
    const auto at = [&](std::uint32_t mhz) {
      config.clock = double(mhz) / c.type.max_clock_mhz;
      return config;
    };
    const auto energy = [&](std::uint32_t mhz) {
      return draw(c.profile, at(mhz)).value() / throughput(c.profile, at(mhz));
    };
    const std::uint32_t thriftiest = std::ranges::min(chosen_clocks(c.type), {}, energy);
    EXPECT_EQ(zeus_clock(c.profile, c.type, config, 1), thriftiest);
    EXPECT_DOUBLE_EQ(throughput(c.profile, at(zeus_clock(c.profile, c.type, config, 0))),
                     throughput(c.profile, at(c.type.max_clock_mhz)));
    std::uint32_t above = c.type.max_clock_mhz;
    for (int tenths = 1; tenths <= 10; ++tenths) {
      const std::uint32_t clock = zeus_clock(c.profile, c.type, config, tenths / 10.0);
      EXPECT_LE(clock, above) << "eta " << tenths / 10.0;
      if (clock != thriftiest && clock != c.type.max_clock_mhz) ++between;
      above = clock;
    }
  }
  EXPECT_GT(between, 1000u);
}

TEST(Curve, of_a_table_has_what_it_holds_on_one_node_at_the_highest_clock) {
  Profile table = table_profile("lstm", "gpu", {{1, 40.0}, {2, 25.0}, {3, 20.0}, {8, 5.0}});
  table.power.p0 = Watts(150);
  const Curve curve(table, plain_type(), {.node_gpus = 4, .most_gpus = 8, .idle = Watts(50)});
  ASSERT_EQ(curve.ways().size(), 2u);
  EXPECT_EQ(curve.way(1), (Way{.gpus = 2,
                               .clock_mhz = 1000,
                               .batch = 1,
                               .speed = Speed(1 / 25.0 / 1e3),
                               .draw = Watts(200)}));
  EXPECT_EQ(zeus_clock(table, plain_type(), {.gpus = 1}, 1), 1000u);
}

TEST(Curve, of_a_front_has_its_number_of_gpus_alone_from_its_thriftiest_point_up) {
  for (const std::uint32_t gpus : {3u, 4u}) {
    const Profile front{.front = {{10, 10'000}, {12.5, 5000}},
                        .power = {.p0 = Watts(60)},
                        .gpus_least = gpus,
                        .gpus_most = gpus};
    const Curve curve(front, plain_type(), kAround);
    ASSERT_EQ(curve.levels().size(), 1u);
    ASSERT_EQ(curve.ways().size(), 2u);  // at 0.4 and 0.6 of the clock they only wait longer
    EXPECT_EQ(curve.way(0).gpus, gpus);
    EXPECT_EQ(curve.way(0).clock_mhz, 800u);
    EXPECT_DOUBLE_EQ(curve.way(0).draw.value(), 400 - 50.0 * gpus);
    EXPECT_EQ(curve.way(1).clock_mhz, 1000u);
    EXPECT_EQ(zeus_clock(front, plain_type(), {.gpus = gpus}, 1), 800u);
    EXPECT_EQ(zeus_clock(front, plain_type(), {.gpus = gpus}, 0), 1000u);
  }
  const Profile large{.front = {{10, 10'000}}, .gpus_least = 7, .gpus_most = 7};
  EXPECT_TRUE(Curve(large, plain_type(), kAround).empty()) << "there are six GPUs";
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One work each second at 100 W, two at 400 W.
Curve two_ways() {
  return Curve({{.gpus = 1, .speed = Speed(0.001), .draw = Watts(100)},
                {.gpus = 2, .speed = Speed(0.002), .draw = Watts(400)}});
}

TEST(CheapestWay, turns_where_the_time_saved_is_worth_the_energy) {
  const Curve curve = two_ways();  // 100 J and 1 s, or 200 J and 0.5 s: 5 ms for a joule
  EXPECT_EQ(curve.cheapest(0), curve.way(1));
  EXPECT_EQ(curve.cheapest(0.0049), curve.way(1));
  EXPECT_EQ(curve.cheapest(0.0051), curve.way(0));
  EXPECT_EQ(curve.cheapest(kInfinity), curve.way(0));
}

TEST(CheapestWay, is_the_cheapest_of_all_at_every_price) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Way> ways;
    for (std::uint32_t n = 0; n <= rng.below(12); ++n)
      ways.push_back({.gpus = n + 1,
                      .speed = Speed(0.1 + rng.uniform()),
                      .draw = Watts(50 + 400 * rng.uniform())});
    const Curve curve(ways);
    const double price = std::pow(10, -8 + 8 * rng.uniform());
    const auto cost = [&](const Way& way) {
      return seconds_per_work(way) + price * joules_per_work(way);
    };
    for (const Way& way : ways) EXPECT_LE(cost(curve.cheapest(price)), cost(way) * (1 + 1e-12));
  }
}

}  // namespace

}  // namespace penstock
