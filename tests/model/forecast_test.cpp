#include "model/forecast.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using Steps = std::vector<Signal<Price>::Step>;

const Time kStart{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

/// `count` hourly values: hour h costs price_of(h).
template <class F>
Signal<Price> hourly(int count, F price_of) {
  Steps steps;
  for (int h = 0; h < count; ++h) steps.push_back({kStart + hours(h), Price(price_of(h))});
  return Signal<Price>(std::move(steps));
}

Signal<Price> rising(int count) {
  return hourly(count, [](int h) { return double(h); });
}

/// The mean in steps of a minute: slow, but obviously right.
Price mean_by_minutes(const Forecast<Price>& forecast, Time from, Time to) {
  Price sum;
  int count = 0;
  for (Time t = from; t < to; t += minutes(1), ++count) sum += forecast.at(t + Duration(1));
  return sum / count;
}

TEST(Forecast, perfect_tells_the_truth_for_ever) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule;
  const Forecast<Price> forecast(truth, rule, kStart + hours(10));
  EXPECT_EQ(forecast.at(kStart + hours(50)), Price(50));
  EXPECT_EQ(forecast.mean(kStart + hours(50), kStart + hours(52)), Price(50.5));
  EXPECT_EQ(forecast.known_until(), std::nullopt);
}

TEST(Forecast, persistence_repeats_the_last_day) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.kind = PersistenceForecast{}};
  const Forecast<Price> forecast(truth, rule, kStart + hours(30));
  EXPECT_EQ(forecast.at(kStart + hours(30)), Price(30));  // the present is the truth
  EXPECT_EQ(forecast.at(kStart + hours(31)), Price(7));
  EXPECT_EQ(forecast.at(kStart + hours(54)), Price(30));
  EXPECT_EQ(forecast.at(kStart + hours(31 + 48)), Price(7));
  EXPECT_EQ(forecast.known_until(), std::nullopt);
}

TEST(Forecast, persistence_does_not_read_the_future) {
  const Time now = kStart + hours(30);
  const auto truth = rising(100);
  const auto changed = hourly(100, [](int h) { return h <= 30 ? double(h) : 1e6; });
  const ForecastRule<Price> rule{.kind = PersistenceForecast{}};
  const Forecast<Price> a(truth, rule, now);
  const Forecast<Price> b(changed, rule, now);
  for (int h = 0; h < 100; ++h) {
    EXPECT_EQ(a.at(kStart + hours(h)), b.at(kStart + hours(h))) << h;
    EXPECT_EQ(a.mean(now, now + minutes(37 * h)), b.mean(now, now + minutes(37 * h))) << h;
  }
}

TEST(Forecast, persistence_has_an_exact_mean) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.kind = PersistenceForecast{}};
  const Forecast<Price> forecast(truth, rule, kStart + hours(30));
  // The last day is hours 6 to 29: a mean of 17.5, however often it repeats.
  EXPECT_DOUBLE_EQ(forecast.mean(kStart + hours(30), kStart + hours(30 + 72)).value(), 17.5);
  EXPECT_DOUBLE_EQ(forecast.mean(kStart + hours(31), kStart + hours(33)).value(), 7.5);
  EXPECT_DOUBLE_EQ(forecast.mean(kStart + hours(29), kStart + hours(31)).value(), (29 + 6) / 2.0);
}

TEST(Forecast, a_constant_keeps_its_exact_mean) {
  const auto truth = Signal<Price>::constant(Price(0.1));
  const ForecastRule<Price> rule{.kind = PersistenceForecast{}};
  const Forecast<Price> forecast(truth, rule, kStart);
  EXPECT_EQ(forecast.mean(kStart - hours(1), kStart + hours(1001)), Price(0.1));
}

TEST(Forecast, beyond_its_horizon_the_last_known_day_repeats) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.horizon = hours(6)};
  const Forecast<Price> forecast(truth, rule, kStart + hours(30));
  EXPECT_EQ(forecast.known_until(), kStart + hours(36));
  EXPECT_EQ(forecast.at(kStart + hours(35)), Price(35));
  EXPECT_EQ(forecast.at(kStart + hours(37)), Price(13));
  EXPECT_EQ(forecast.at(kStart + hours(37 + 240)), Price(13));
}

const DayAheadForecast kMarket{.clock = {.ahead = hours(1), .daylight = Daylight::eu},
                               .published = hours(13)};

TEST(Forecast, a_market_tells_the_next_day_once_its_results_are_out) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.kind = kMarket};
  const Forecast<Price> before(truth, rule, kStart + hours(35));  // 12:00 by the clock
  EXPECT_EQ(before.known_until(), kStart + hours(47));
  EXPECT_EQ(before.at(kStart + hours(46)), Price(46));
  EXPECT_EQ(before.at(kStart + hours(47)), Price(23)) << "not yet out: as on the day before";
  EXPECT_EQ(before.at(kStart + hours(50)), Price(26));
  EXPECT_EQ(before.at(kStart + hours(71)), Price(23));
  const Forecast<Price> after(truth, rule, kStart + hours(36));
  EXPECT_EQ(after.known_until(), kStart + hours(71));
  EXPECT_EQ(after.at(kStart + hours(70)), Price(70));
  EXPECT_EQ(after.at(kStart + hours(71)), Price(47));
  EXPECT_NEAR(after.mean(kStart + hours(69), kStart + hours(73)).value(),
              mean_by_minutes(after, kStart + hours(69), kStart + hours(73)).value(), 1e-9);
}

/// By hand: an hour is settled if the clock shows today, or tomorrow and results are out.
bool is_settled(Time hour, Time now) {
  using std::chrono::days;
  const auto clock_now = kMarket.clock.shown_at(now);
  const auto today = std::chrono::floor<days>(clock_now);
  const auto of = std::chrono::floor<days>(kMarket.clock.shown_at(hour));
  return of <= today || (clock_now - today >= hours(13) && of <= today + days(1));
}

/// Asks at `now` about ten days from `first` on, with and without other prices in hours that are
/// not settled.
void expect_nothing_leaks(Time first, Time now) {
  Steps real;
  Steps other;
  for (Time hour = first; hour < first + hours(240); hour += hours(1)) {
    const double price = seconds(hour - first);
    real.push_back({hour, Price(price)});
    other.push_back({hour, Price(is_settled(hour, now) ? price : 1e9)});
  }
  const Signal<Price> truth(std::move(real));
  const Signal<Price> changed(std::move(other));
  const ForecastRule<Price> rule{.kind = kMarket};
  const Forecast<Price> a(truth, rule, now);
  const Forecast<Price> b(changed, rule, now);
  for (Time t = first; t < first + hours(240); t += hours(1)) {
    ASSERT_EQ(a.at(t), b.at(t)) << format_time(now) << " asked about " << format_time(t);
    ASSERT_EQ(a.mean(now, t), b.mean(now, t)) << format_time(now) << " until " << format_time(t);
    ASSERT_TRUE(!is_settled(t, now) || a.at(t) == truth.at(t)) << format_time(now);
  }
}

TEST(Forecast, a_market_never_tells_an_hour_that_is_not_settled) {
  // Around both changes of the clock, in steps that hit the hour of publication and midnight.
  for (const char* day : {"2021-03-26", "2021-06-01", "2021-10-29"}) {
    const Time first = *parse_time(day);
    for (Time now = first + hours(24); now < first + hours(5 * 24); now += minutes(15))
      expect_nothing_leaks(first, now);
  }
}

TEST(Forecast, a_horizon_cuts_a_market_too) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.kind = kMarket, .horizon = hours(2)};
  EXPECT_EQ(Forecast<Price>(truth, rule, kStart + hours(36)).known_until(), kStart + hours(38));
  EXPECT_EQ(Forecast<Price>(truth, rule, kStart + hours(46)).known_until(), kStart + hours(48));
}

TEST(Forecast, noise_has_the_error_that_was_asked_for) {
  const auto truth = hourly(2000, [](int) { return 50.0; });
  for (const double mape : {0.05, 0.1, 0.3, 0.5}) {
    const ForecastRule<Price> rule{.kind = NoisyForecast{.mape = mape, .seed = 7}};
    double error = 0;
    int count = 0;
    for (int issue = 0; issue < 200; ++issue) {
      const Forecast<Price> forecast(truth, rule, kStart + hours(issue));
      for (int lead = 1; lead <= 96; ++lead, ++count)
        error += std::abs(forecast.at(kStart + hours(issue + lead)).value() - 50) / 50;
    }
    EXPECT_NEAR(error / count, mape, 0.05 * mape);
  }
}

TEST(Forecast, noise_is_the_same_whenever_it_is_asked_within_an_hour) {
  const auto truth = rising(100);
  const ForecastRule<Price> rule{.kind = NoisyForecast{.mape = 0.2, .seed = 7}};
  const ForecastRule<Price> other_seed{.kind = NoisyForecast{.mape = 0.2, .seed = 8}};
  const Time target = kStart + hours(40);
  const Price said = Forecast<Price>(truth, rule, kStart + hours(10)).at(target);
  EXPECT_EQ(Forecast<Price>(truth, rule, kStart + hours(10) + minutes(59)).at(target), said);
  EXPECT_EQ(Forecast<Price>(truth, rule, kStart + hours(10)).at(target + minutes(30)), said);
  EXPECT_NE(Forecast<Price>(truth, rule, kStart + hours(11)).at(target), said);
  EXPECT_NE(Forecast<Price>(truth, other_seed, kStart + hours(10)).at(target), said);
  EXPECT_EQ(Forecast<Price>(truth, rule, target).at(target), Price(40));
}

ForecastRule<Price> two_issues() {
  const auto issue = [](int at, double value) {
    return IssuedForecast<Price>::Issue{
        .issued = kStart + hours(at),
        .values = Signal<Price>(
            {{kStart + hours(at), Price(value)}, {kStart + hours(at + 3), Price(2 * value)}}),
        .end = kStart + hours(at + 6)};
  };
  return {.kind = IssuedForecast<Price>{.issues = {issue(24, 100), issue(28, 200)}}};
}

TEST(Forecast, the_newest_issue_not_after_now_speaks) {
  const auto truth = rising(100);
  const auto rule = two_issues();
  const Forecast<Price> early(truth, rule, kStart + hours(27));
  EXPECT_EQ(early.at(kStart + hours(26)), Price(26));
  EXPECT_EQ(early.at(kStart + hours(28)), Price(200));
  EXPECT_EQ(early.known_until(), kStart + hours(30));
  const Forecast<Price> later(truth, rule, kStart + hours(28));
  EXPECT_EQ(later.at(kStart + hours(30)), Price(200));
  EXPECT_EQ(later.at(kStart + hours(32)), Price(400));
  EXPECT_EQ(later.mean(kStart + hours(28), kStart + hours(34)), Price(300));
}

TEST(Forecast, without_an_issue_in_force_the_last_day_repeats) {
  const auto truth = rising(100);
  const auto rule = two_issues();
  const Forecast<Price> before(truth, rule, kStart + hours(23));
  EXPECT_EQ(before.known_until(), kStart + hours(23));
  EXPECT_EQ(before.at(kStart + hours(25)), Price(1));
  const Forecast<Price> stale(truth, rule, kStart + hours(40));
  EXPECT_EQ(stale.known_until(), kStart + hours(40));
  EXPECT_EQ(stale.at(kStart + hours(41)), Price(17));
}

TEST(Forecast, every_rule_has_a_mean_that_agrees_with_its_values) {
  const auto truth = hourly(200, [](int h) { return 10.0 * ((7 * h) % 24); });
  auto issued = two_issues();
  for (const auto& kind : std::initializer_list<decltype(issued.kind)>{
           PerfectForecast{}, PersistenceForecast{}, NoisyForecast{.mape = 0.3, .seed = 3},
           issued.kind}) {
    for (const std::optional<Duration> horizon : {std::optional<Duration>{}, {hours(5)}}) {
      const ForecastRule<Price> rule{.kind = kind, .horizon = horizon};
      const Forecast<Price> forecast(truth, rule, kStart + hours(28) + minutes(20));
      const Time from = kStart + hours(20) + minutes(11);
      const Time to = kStart + hours(97) + minutes(47);
      EXPECT_NEAR(forecast.mean(from, to).value(), mean_by_minutes(forecast, from, to).value(),
                  1e-9)
          << kind.index();
    }
  }
}

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
