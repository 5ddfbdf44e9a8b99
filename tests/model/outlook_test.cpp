#include "model/outlook.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const Time kStart{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

TEST(Outlook, each_site_has_its_own_signals_and_rules) {
  const Signal<Price> rising({{kStart, Price(1)}, {kStart + hours(24), Price(2)}});
  const std::vector<SiteSignals> sites = {
      {.price = rising},
      {.price = rising, .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(300))}};
  const std::vector<SiteForecasts> rules = {{}, {.price = {.kind = PersistenceForecast{}}}};
  const Outlook outlook(sites, rules, kStart + hours(12));
  EXPECT_EQ(outlook.price(SiteId{0}).at(kStart + hours(30)), Price(2));
  EXPECT_EQ(outlook.price(SiteId{1}).at(kStart + hours(30)), Price(1));
  EXPECT_EQ(outlook.carbon(SiteId{1}).at(kStart + hours(30)), CarbonIntensity(300));
}

TEST(Outlook, a_cap_is_told_for_now_only) {
  const std::vector<SiteSignals> sites = {
      {}, {.cap = Signal<Watts>({{kStart, Watts(9000)}, {kStart + hours(1), Watts(5000)}})}};
  const std::vector<SiteForecasts> rules(2);
  EXPECT_EQ(Outlook(sites, rules, kStart).cap(SiteId{0}), std::nullopt);
  EXPECT_EQ(Outlook(sites, rules, kStart).cap(SiteId{1}), Watts(9000));
  EXPECT_EQ(Outlook(sites, rules, kStart + hours(1)).cap(SiteId{1}), Watts(5000));
}

}  // namespace
}  // namespace penstock
