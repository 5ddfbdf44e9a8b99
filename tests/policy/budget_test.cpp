#include "policy/budget.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

const Time t0 = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));

BudgetSpec good(const std::string& text, Duration window = 1h,
                std::optional<Duration> horizon = std::nullopt) {
  const auto spec = parse_budget(text, window, horizon);
  EXPECT_TRUE(bool(spec)) << text;
  return *spec;
}
std::string fault_of(const std::string& text) {
  const auto spec = parse_budget(text, 1h, std::nullopt);
  EXPECT_FALSE(bool(spec)) << text;
  return spec ? "" : spec.error().message;
}

TEST(ParseBudget, reads_an_energy_by_time_as_an_amount_for_the_window) {
  EXPECT_DOUBLE_EQ(good("40 kWh/h").amount.value(), 40 * 3.6e6);
  EXPECT_DOUBLE_EQ(good("40 kWh/h", 30min).amount.value(), 20 * 3.6e6);
  EXPECT_DOUBLE_EQ(good("2.4MWh/day").amount.value(), 100 * 3.6e6);
  EXPECT_DOUBLE_EQ(good("2.4 MWh/d").amount.value(), 100 * 3.6e6);
  EXPECT_DOUBLE_EQ(good("500 J/s", 10s).amount.value(), 5000);
  EXPECT_DOUBLE_EQ(good("6 Wh/min", 1min).amount.value(), 6 * 3600);
  EXPECT_EQ(good("40 kWh/h").window, 1h);
  EXPECT_FALSE(good("40 kWh/h", 1h, 5h).horizon);
}

TEST(ParseBudget, reads_an_energy_for_the_whole_run) {
  EXPECT_DOUBLE_EQ(good("900 kWh").amount.value(), 900 * 3.6e6);
  EXPECT_DOUBLE_EQ(good("1e-3 GWh").amount.value(), 3.6e9);
  EXPECT_DOUBLE_EQ(good("7 MJ").amount.value(), 7e6);
  EXPECT_FALSE(good("900 kWh").window);
  EXPECT_FALSE(good("900 kWh").horizon);
  EXPECT_EQ(good("900 kWh", 1h, 5h).horizon, 5h);
}

TEST(ParseBudget, says_what_is_wrong_and_what_is_possible) {
  const std::string possible =
      "; possible: an energy by time such as '40 kWh/h', or for the whole run such as '900 kWh'";
  for (const char* text : {"", "kWh", "a lot", " 40 kWh", "+4 kWh", "1e999 kWh"})
    EXPECT_EQ(fault_of(text),
              std::string("energy_budget: '") + text + "' does not begin with a number" + possible);
  for (const char* text : {"0 kWh", "-3 kWh/h", "nan kWh", "inf kWh"})
    EXPECT_EQ(fault_of(text),
              std::string("energy_budget: '") + text + "' is not more than nothing" + possible);
  for (const char* text : {"40", "40 ", "40 W", "40 kwh", "40 /h", "40 kWh /h", "4 0 kWh"})
    EXPECT_EQ(fault_of(text), std::string("energy_budget: '") + text +
                                  "' has no unit of energy that is known" + possible);
  for (const char* text : {"40 kWh/", "40 kWh/week", "40 kWh/ h", "40 kWh/h "})
    EXPECT_EQ(fault_of(text), std::string("energy_budget: '") + text +
                                  "' has no unit of time that is known" + possible);
}

TEST(Budget, for_a_run_is_all_there_at_once) {
  Budget budget({.amount = Joules(1000)}, t0);
  EXPECT_EQ(budget.cap(10s), Watts(100));
  EXPECT_EQ(budget.left(), Joules(1000));
  budget.meter(t0 + 5s, Joules(400));
  EXPECT_EQ(budget.cap(10s), Watts(60));
  EXPECT_EQ(budget.left(), Joules(600));
  EXPECT_FALSE(budget.may_recover());
}

TEST(Budget, for_a_run_knows_how_long_it_has_to_last) {
  Budget budget({.amount = Joules(1000), .window = {}, .horizon = 100s}, t0);
  EXPECT_EQ(budget.ahead(), Duration(100s));
  budget.meter(t0 + 95s, Joules(950));
  EXPECT_EQ(budget.ahead(), Duration(5s));
  EXPECT_EQ(budget.cap(10s), Watts(5));
  budget.meter(t0 + 200s, Joules(1000));
  EXPECT_EQ(budget.ahead(), Duration(0s));
  EXPECT_EQ(budget.left(), Joules(0));
}

TEST(Budget, by_window_allows_all_of_it_at_first) {
  const Budget budget({.amount = Joules(1000), .window = 100s}, t0);
  EXPECT_EQ(budget.cap(10s), Watts(100));
  EXPECT_EQ(budget.cap(100s), Watts(10));
  EXPECT_EQ(budget.cap(300s), Watts(10)) << "what one window holds, every window holds";
  EXPECT_GT(budget.left(), Joules(1e300));
}

TEST(Budget, by_window_gives_back_what_falls_out_of_it) {
  Budget budget({.amount = Joules(1000), .window = 100s}, t0);
  budget.meter(t0 + 10s, Joules(1000));
  EXPECT_EQ(budget.cap(10s), Watts(0));
  budget.meter(t0 + 95s, Joules(1000));
  EXPECT_EQ(budget.cap(5s), Watts(0));
  EXPECT_EQ(budget.cap(10s), Watts(0)) << "nothing falls out before 100 s";
  budget.meter(t0 + 100s, Joules(1000));
  EXPECT_EQ(budget.cap(5s), Watts(100));
  EXPECT_EQ(budget.cap(10s), Watts(100));
  EXPECT_EQ(budget.cap(20s), Watts(50));
  budget.meter(t0 + 104s, Joules(1000));
  EXPECT_EQ(budget.cap(2s), Watts(300)) << "400 J that were not used, and 100 J a second";
}

TEST(Budget, by_window_recovers_until_only_an_even_draw_is_left_in_it) {
  Budget budget({.amount = Joules(1000), .window = 100s}, t0);
  budget.meter(t0 + 10s, Joules(900));
  budget.meter(t0 + 20s, Joules(905));
  EXPECT_TRUE(budget.may_recover());
  budget.meter(t0 + 105s, Joules(947.5));
  EXPECT_TRUE(budget.may_recover());
  budget.meter(t0 + 111s, Joules(950.5));
  EXPECT_FALSE(budget.may_recover());
}

TEST(Budget, by_window_keeps_the_floor_free) {
  Budget budget({.amount = Joules(1000), .window = 100s}, t0, Watts(2));
  EXPECT_EQ(budget.cap(10s), Watts(82)) << "180 J are for the other 90 s";
  budget.meter(t0 + 10s, Joules(820));
  EXPECT_EQ(budget.cap(10s), Watts(2));
  budget.meter(t0 + 90s, Joules(820));  // drew nothing at all, which is no credit
  EXPECT_EQ(budget.cap(10s), Watts(2));
  budget.meter(t0 + 100s, Joules(840));
  EXPECT_EQ(budget.cap(10s), Watts(82));
}

/// Someone who uses up what he may, or less.
class Consumer {
 public:
  Consumer(std::uint64_t seed, Watts floor) : rng_(Rng(seed).stream("consumer")), floor_(floor) {}

  struct Reading {
    Time when{};
    double used = 0;
  };

  void draw(Budget& budget, Duration longest) {
    const Duration slot(1 + static_cast<std::int64_t>(rng_.below(std::uint64_t(longest.count()))));
    const Watts cap = budget.cap(slot);
    least_cap_ = std::min(least_cap_, cap);
    const double greed = rng_.uniform() < 0.5 ? 1 : rng_.uniform();
    const Watts draw = std::max(floor_ + (cap - floor_) * greed, floor_);
    const Duration shorter(1 + static_cast<std::int64_t>(rng_.below(std::uint64_t(slot.count()))));
    const Duration time = rng_.uniform() < 0.5 ? slot : shorter;
    const Reading& now = use_.back();
    use_.push_back({now.when + time, now.used + (draw * time).value()});
    budget.meter(use_.back().when, Joules(use_.back().used));
  }

  const std::vector<Reading>& use() const { return use_; }
  Watts least_cap() const { return least_cap_; }

  double used_at(Time when) const {
    if (when <= t0) return 0;
    for (std::size_t i = 1; i < use_.size(); ++i) {
      if (use_[i].when < when) continue;
      const double part =
          seconds(when - use_[i - 1].when) / seconds(use_[i].when - use_[i - 1].when);
      return use_[i - 1].used + (use_[i].used - use_[i - 1].used) * part;
    }
    return use_.back().used;
  }

 private:
  Rng rng_;
  Watts floor_;
  Watts least_cap_{1e300};
  std::vector<Reading> use_{{t0, 0}};
};

/// The most that was used in any stretch of time: it begins or ends where the draw changes.
double most_in_any(const Consumer& consumer, Duration window) {
  double most = 0;
  for (const auto& [when, used] : consumer.use()) {
    most = std::max(most, used - consumer.used_at(when - window));
    most = std::max(most, consumer.used_at(when + window) - used);
  }
  return most;
}

TEST(Budget, by_window_holds_in_every_window_and_leaves_the_floor) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    Rng rng(seed);
    const Duration window(1 + static_cast<std::int64_t>(rng.below(3000)));
    const Joules amount(1000);
    const Watts floor = amount / window * (rng.uniform() < 0.3 ? 0 : rng.uniform());
    Budget budget({.amount = amount, .window = window}, t0, floor);
    Consumer consumer(seed, floor);
    const Duration longest = rng.uniform() < 0.5 ? window / 5 + 1ms : window * 2;
    for (int i = 0; i < 100; ++i) consumer.draw(budget, longest);
    EXPECT_LE(most_in_any(consumer, window), 1000 * (1 + 1e-9)) << "seed " << seed;
    EXPECT_GE(consumer.least_cap().value(), floor.value() * (1 - 1e-9) - 1e-6) << "seed " << seed;
  }
}

TEST(Budget, by_window_lets_a_greedy_consumer_use_all_of_it) {
  for (const Duration slot : {1s, 7s, 30s}) {
    Budget budget({.amount = Joules(1000), .window = 60s}, t0, Watts(3));
    Joules used;
    Time now = t0;
    for (; now < t0 + 600s; now += slot) {
      used += budget.cap(slot) * slot;
      budget.meter(now + slot, used);
    }
    EXPECT_GE(used.value(), 0.95 * 1000 * seconds(now - t0) / 60);
  }
}

TEST(Budget, for_a_run_is_never_overdrawn) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    Rng rng(seed);
    Budget budget({.amount = Joules(100 + rng.uniform() * 1000)}, t0);
    const double amount = budget.left().value();
    Consumer consumer(seed, Watts(0));
    for (int i = 0; i < 100; ++i) consumer.draw(budget, 200ms);
    for (const auto& [when, used] : consumer.use())
      EXPECT_LE(used, amount * (1 + 1e-9)) << "seed " << seed;
    EXPECT_GE(consumer.least_cap().value(), -1e-6) << "seed " << seed;
  }
}

}  // namespace
}  // namespace penstock
