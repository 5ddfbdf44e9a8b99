#include "live/unseen_bill.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A kilowatt-hour costs 0.36 until an hour has passed, then ten times as much.
SiteSignals dear_later() {
  SiteSignals signals;
  signals.price = Signal<Price>({{Time(0s), Price(0.36)}, {Time(1h), Price(3.6)}});
  signals.carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(360));
  return signals;
}

TEST(UnseenBill, what_ran_before_is_billed_by_its_time_at_the_draw_seen_later) {
  const LiveRun run{.started = Time(1h - 100s), .ended = Time(1h + 50s), .gpus = 2};
  const Bill billed{.energy = Joules(10'000), .cost = Money(0.01), .carbon = GramsCo2(1)};
  const Bill before = bill_before(Time(1h), {&run, 1}, billed, dear_later());
  EXPECT_DOUBLE_EQ(before.energy.value(), 20'000) << "200 W for 100 s";
  EXPECT_DOUBLE_EQ(before.cost.value(), 0.002) << "at the price before";
  EXPECT_DOUBLE_EQ(before.carbon.value(), 2);
}

TEST(UnseenBill, runs_count_by_their_gpus) {
  const std::vector<LiveRun> runs{{.started = Time(0s), .ended = Time(100s), .gpus = 4},
                                  {.started = Time(200s), .ended = Time(260s), .gpus = 1}};
  const Bill before = bill_before(Time(150s), runs, {.energy = Joules(6'000)}, dear_later());
  EXPECT_DOUBLE_EQ(before.energy.value(), 40'000) << "100 W a GPU, as in the second run";
}

TEST(UnseenBill, a_job_that_was_seen_whole_or_never_gets_nothing_more) {
  const LiveRun run{.started = Time(100s), .ended = Time(200s), .gpus = 2};
  const Bill billed{.energy = Joules(10)};
  EXPECT_EQ(bill_before(Time(100s), {&run, 1}, billed, dear_later()), Bill{});
  EXPECT_EQ(bill_before(Time(200s), {&run, 1}, billed, dear_later()), Bill{});
  EXPECT_EQ(bill_before(Time(300s), {}, billed, dear_later()), Bill{});
}

}  // namespace
}  // namespace penstock
