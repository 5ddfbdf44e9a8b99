#include "model/site_signals.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const CoolingCurve kCurve{.base = 1.25, .above = Celsius(10), .slope = 0.125, .most = 1.5};

TEST(Cooling, is_level_then_rises_then_is_at_its_limit) {
  EXPECT_EQ(kCurve.at(Celsius(-20)), Ratio(1.25));
  EXPECT_EQ(kCurve.at(Celsius(10)), Ratio(1.25));
  EXPECT_EQ(kCurve.at(Celsius(11)), Ratio(1.375));
  EXPECT_EQ(kCurve.at(Celsius(40)), Ratio(1.5));
}

TEST(Cooling, changes_where_the_temperature_changes_it) {
  const Time t{};
  const Signal<Celsius> outside(
      {{t, Celsius(1)}, {t + hours(1), Celsius(2)}, {t + hours(2), Celsius(11)}});
  const Signal<Ratio> pue = pue_of(outside, kCurve);
  ASSERT_EQ(pue.steps().size(), 2u);
  EXPECT_EQ(pue.steps()[1].from, t + hours(2));
  EXPECT_EQ(pue.at(t + hours(2)), Ratio(1.375));
}

}  // namespace
}  // namespace penstock
