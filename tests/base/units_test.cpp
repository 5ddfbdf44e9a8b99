#include "base/units.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
static_assert(Addable<Watts, Watts>);
static_assert(!Addable<Watts, Joules>);
static_assert(!Addable<Price, CarbonIntensity>);
static_assert(!Addable<Watts, double>);

TEST(Units, a_kilowatt_for_an_hour_is_a_kilowatt_hour) {
  EXPECT_DOUBLE_EQ(kilowatt_hours(Watts(1000) * Duration(1h)), 1);
}

TEST(Units, energy_costs_its_price_and_emits_its_intensity) {
  const Joules two_kwh(7.2e6);
  EXPECT_DOUBLE_EQ((two_kwh * Price(0.3)).value(), 0.6);
  EXPECT_DOUBLE_EQ((two_kwh * CarbonIntensity(400)).value(), 800);
  EXPECT_DOUBLE_EQ((two_kwh * Price(-0.1)).value(), -0.2);
}

TEST(Units, energy_over_time_is_power) {
  EXPECT_DOUBLE_EQ((Joules(500) / Duration(10s)).value(), 50);
}

TEST(Units, a_rate_times_its_time_is_money) {
  EXPECT_DOUBLE_EQ((MoneyRate(0.5) * Duration(1500ms)).value(), 0.75);
}

TEST(Units, of_one_kind_add_scale_and_compare) {
  EXPECT_EQ(Watts(2) + Watts(3), Watts(5));
  EXPECT_EQ(2 * Watts(3) - Watts(1), Watts(5));
  EXPECT_EQ(Watts(6) / Watts(3), 2);
  EXPECT_LT(Money(-1), Money(0));
}

}  // namespace
}  // namespace penstock
