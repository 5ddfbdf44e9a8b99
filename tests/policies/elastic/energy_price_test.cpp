#include "policies/elastic/energy_price.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One work each second at 100 W, two at 400 W.
Curve two_ways() {
  return Curve({{.gpus = 1, .speed = Speed(0.001), .draw = Watts(100)},
                {.gpus = 2, .speed = Speed(0.002), .draw = Watts(400)}});
}

TEST(EnergyPrice, the_cheapest_way_turns_where_the_time_saved_is_worth_the_energy) {
  const Curve curve = two_ways();  // 100 J and 1 s, or 200 J and 0.5 s: 5 ms for a joule
  EXPECT_EQ(curve.cheapest(0), curve.way(1));
  EXPECT_EQ(curve.cheapest(0.0049), curve.way(1));
  EXPECT_EQ(curve.cheapest(0.0051), curve.way(0));
  EXPECT_EQ(curve.cheapest(kInfinity), curve.way(0));
}

TEST(EnergyPrice, a_way_is_the_cheapest_of_all_at_every_price) {
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

TEST(EnergyPrice, is_nothing_where_energy_abounds_and_infinite_where_it_is_short) {
  const Curve curve = two_ways();
  const std::vector<Demand> demands{{&curve, Work(10)}};
  EXPECT_EQ(energy_price(demands, Joules(2000)), 0);
  EXPECT_EQ(energy_price(demands, Joules(999)), kInfinity);
  EXPECT_NEAR(energy_price(demands, Joules(1500)), 0.005, 1e-8);
}

}  // namespace
}  // namespace penstock
