#include "model/signal.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const Time kFirstStep{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

Signal<Price> one_then_four() {
  return Signal<Price>({{kFirstStep, Price(1)}, {kFirstStep + hours(1), Price(4)}});
}

TEST(Signal, a_step_begins_at_its_time) {
  const auto signal = one_then_four();
  EXPECT_EQ(signal.at(kFirstStep + hours(1) - Duration(1)), Price(1));
  EXPECT_EQ(signal.at(kFirstStep + hours(1)), Price(4));
}

TEST(Signal, the_first_value_holds_before_and_the_last_after) {
  const auto signal = one_then_four();
  EXPECT_EQ(signal.at(kFirstStep - hours(1000)), Price(1));
  EXPECT_EQ(signal.at(kFirstStep + hours(1000)), Price(4));
  EXPECT_EQ(signal.mean(kFirstStep - hours(2), kFirstStep + hours(2)), Price(1.75));
}

TEST(Signal, mean_weighs_each_step_by_its_time) {
  EXPECT_EQ(one_then_four().mean(kFirstStep, kFirstStep + hours(3)), Price(3));
}

TEST(Signal, the_mean_of_an_instant_is_its_value) {
  EXPECT_EQ(one_then_four().mean(kFirstStep + hours(1), kFirstStep + hours(1)), Price(4));
}

TEST(Signal, the_mean_within_one_step_is_exactly_its_value) {
  const auto signal = Signal<Price>::constant(Price(0.1));
  EXPECT_EQ(signal.mean(kFirstStep, kFirstStep + hours(1) + Duration(7)), Price(0.1));
}

TEST(Signal, the_mean_of_a_moment_is_exact_years_after_the_beginning) {
  const Time step = kFirstStep + hours(24 * 3650);
  const Signal<Price> signal(
      {{kFirstStep, Price(0.1)}, {step, Price(0.3)}, {step + hours(1), Price(0.7)}});
  EXPECT_DOUBLE_EQ(signal.mean(step - Duration(1), step + Duration(1)).value(), 0.2);
}

TEST(Signal, negative_values_count_negative) {
  const Signal<Price> signal({{kFirstStep, Price(-3)}, {kFirstStep + hours(1), Price(1)}});
  EXPECT_EQ(signal.mean(kFirstStep, kFirstStep + hours(2)), Price(-1));
}

}  // namespace
}  // namespace penstock
