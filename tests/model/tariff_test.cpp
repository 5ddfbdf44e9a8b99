#include "model/tariff.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kOrigin{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

TEST(Tariff, bills_pue_times_price_and_carbon) {
  // 1 kW at PUE 1.5 for one hour at 0.2 and one at 0.4 per kWh, 100 g/kWh.
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(0.2)}, {kOrigin + hours(1), Price(0.4)}}),
      .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(100)),
      .pue = Signal<Ratio>::constant(Ratio(1.5))};
  Tariff tariff(signals, kOrigin);
  const Bill bill = Watts(1000) * tariff.until(kOrigin + hours(2));
  EXPECT_DOUBLE_EQ(kilowatt_hours(bill.energy), 3);
  EXPECT_DOUBLE_EQ(bill.cost.value(), 0.9);
  EXPECT_DOUBLE_EQ(bill.carbon.value(), 300);
}

TEST(Tariff, steps_of_all_signals_count_from_their_own_times) {
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(1)}, {kOrigin + minutes(30), Price(3)}}),
      .pue = Signal<Ratio>({{kOrigin, Ratio(1)}, {kOrigin + minutes(45), Ratio(2)}})};
  Tariff tariff(signals, kOrigin);
  const Bill bill = Watts(1000) * tariff.until(kOrigin + hours(1));
  EXPECT_DOUBLE_EQ(bill.cost.value(), 0.5 * 1 + 0.25 * 3 + 0.25 * 2 * 3);
  EXPECT_DOUBLE_EQ(kilowatt_hours(bill.energy), 0.75 + 0.5);
}

TEST(Tariff, may_be_asked_out_of_order) {
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(1)}, {kOrigin + hours(1), Price(3)}})};
  Tariff tariff(signals, kOrigin);
  const double late = tariff.until(kOrigin + hours(2)).money;
  const double early = tariff.until(kOrigin + minutes(30)).money;
  EXPECT_DOUBLE_EQ(late, 8 * early);
  EXPECT_DOUBLE_EQ(tariff.until(kOrigin + hours(2)).money, late);
}

TEST(Tariff, what_happened_before_the_origin_is_not_billed) {
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(7)}, {kOrigin + hours(1), Price(1)}})};
  Tariff tariff(signals, kOrigin + hours(1));
  EXPECT_DOUBLE_EQ((Watts(1000) * tariff.until(kOrigin + hours(2))).cost.value(), 1);
}

TEST(Tariff, bills_two_milliseconds_exactly_after_a_year) {
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(0.1)}, {kOrigin + hours(8760), Price(0.3)}})};
  Tariff tariff(signals, kOrigin);
  const Duration moment{1};
  const Time change = kOrigin + hours(8760);
  const PerWatt used = tariff.between(tariff.read(change - moment), tariff.read(change + moment));
  EXPECT_NEAR(used.joules, 0.002, 1e-17);
  EXPECT_NEAR(used.money, (0.001 * 0.1 + 0.001 * 0.3) / 3.6e6, 1e-24);
}

TEST(Tariff, gives_back_what_lies_between_two_readings_in_the_wrong_order) {
  const SiteSignals signals{
      .price = Signal<Price>({{kOrigin, Price(1)}, {kOrigin + hours(1), Price(3)}})};
  Tariff tariff(signals, kOrigin);
  const Tariff::Reading early = tariff.read(kOrigin + minutes(30));
  const Tariff::Reading late = tariff.read(kOrigin + minutes(90));
  EXPECT_DOUBLE_EQ(tariff.between(late, early).money, -tariff.between(early, late).money);
  EXPECT_DOUBLE_EQ(tariff.between(early, late).joules, 3600);
}

TEST(Tariff, follows_new_signals_and_keeps_earlier_readings) {
  const SiteSignals old{.price =
                            Signal<Price>({{kOrigin, Price(1)}, {kOrigin + hours(1), Price(9)}})};
  const SiteSignals later{.price = Signal<Price>::constant(Price(2))};
  Tariff tariff(old, kOrigin);
  const Tariff::Reading before = tariff.read(kOrigin + minutes(15));
  tariff.follow(later, kOrigin + minutes(30));
  tariff.follow(later, kOrigin + minutes(30));
  tariff.follow(later, kOrigin + minutes(40));
  const PerWatt used = tariff.between(before, tariff.read(kOrigin + hours(2)));
  EXPECT_DOUBLE_EQ((Watts(1000) * used).cost.value(), 0.25 * 1 + 1.5 * 2);
}

}  // namespace
}  // namespace penstock
