#include "live/job/unseen_bill.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

using Watched = LiveRun::Watched;

/// A kilowatt-hour costs 0.36 until an hour and half a second have passed, then ten times as much.
/// Slurm tells whole seconds, so that what it says is at the hour counts half a second later.
SiteSignals dear_later() {
  SiteSignals signals;
  signals.price = Signal<Price>({{Time(0s), Price(0.36)}, {Time(1h + 500ms), Price(3.6)}});
  signals.carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(360));
  return signals;
}

TEST(UnseenBill, a_job_of_3_s_of_which_1_s_was_seen_was_billed_for_1_s) {
  const LiveRun run{.started = Time(10s),
                    .ended = Time(13s),
                    .gpus = 2,
                    .watched = Watched{.from = Time(12s), .until = Time(13s), .found = true}};
  const Bill billed{.energy = Joules(800)};
  const Bill unseen = unseen_bill({&run, 1}, billed, dear_later(), Watts(400));
  EXPECT_DOUBLE_EQ((billed + unseen).energy.value(), 2400) << "400 W a GPU for 3 s";
}

TEST(UnseenBill, a_job_was_billed_until_the_poll_that_showed_its_end) {
  const Bill billed{.energy = Joules(2800)};
  LiveRun run{.started = Time(10s),
              .ended = Time(13s),
              .gpus = 2,
              .watched = Watched{.from = Time(11500ms), .until = Time(15s), .found = true}};
  EXPECT_DOUBLE_EQ(
      (billed + unseen_bill({&run, 1}, billed, dear_later(), Watts(400))).energy.value(), 2400);
  run.watched->found = false;  // its bill began with our word, before it ran
  run.watched->from = Time(9s);
  const Bill own{.energy = Joules(3600)};
  EXPECT_DOUBLE_EQ((own + unseen_bill({&run, 1}, own, dear_later(), Watts(400))).energy.value(),
                   2400);
  run.watched->metered = true;
  EXPECT_EQ(unseen_bill({&run, 1}, own, dear_later(), Watts(400)), Bill{})
      << "counters know better";
}

TEST(UnseenBill, a_job_that_began_and_ended_between_two_polls_was_billed_nothing) {
  LiveRun run{.started = Time(10s), .ended = Time(13s), .gpus = 2};
  EXPECT_DOUBLE_EQ(unseen_bill({&run, 1}, {}, dear_later(), Watts(400)).energy.value(), 2400);
  run.watched = Watched{.from = Time(15s), .until = Time(15s), .found = true};
  EXPECT_DOUBLE_EQ(unseen_bill({&run, 1}, {}, dear_later(), Watts(400)).energy.value(), 2400);
}

TEST(UnseenBill, what_ran_before_is_billed_by_its_time_at_the_draw_seen_later) {
  const LiveRun run{
      .started = Time(1h - 100s),
      .ended = Time(1h + 50s),
      .gpus = 2,
      .watched = Watched{.from = Time(1h + 500ms), .until = Time(1h + 50s + 500ms), .found = true}};
  const Bill billed{.energy = Joules(10'000), .cost = Money(0.01), .carbon = GramsCo2(1)};
  const Bill before = unseen_bill({&run, 1}, billed, dear_later(), Watts(400));
  EXPECT_DOUBLE_EQ(before.energy.value(), 20'000) << "200 W for 100 s";
  EXPECT_DOUBLE_EQ(before.cost.value(), 0.002) << "at the price before";
  EXPECT_DOUBLE_EQ(before.carbon.value(), 2);
}

TEST(UnseenBill, runs_count_by_their_gpus) {
  const std::vector<LiveRun> runs{{.started = Time(0s), .ended = Time(100s), .gpus = 4},
                                  {.started = Time(200s),
                                   .ended = Time(260s),
                                   .gpus = 1,
                                   .watched = Watched{.from = Time(150s)}}};
  const Bill before = unseen_bill(runs, {.energy = Joules(6'000)}, dear_later(), Watts(400));
  EXPECT_DOUBLE_EQ(before.energy.value(), 40'000) << "100 W a GPU, as in the second run";
}

TEST(UnseenBill, a_draw_that_nobody_can_believe_is_not_stretched_over_hours) {
  const LiveRun run{
      .started = Time(0s),
      .ended = Time(100s),
      .gpus = 1,
      .watched = Watched{.from = Time(100s), .until = Time(100s + 501ms), .found = true}};
  const Bill unseen = unseen_bill({&run, 1}, {.energy = Joules(5'000)}, dear_later(), Watts(400));
  EXPECT_LT(unseen.energy.value(), 80'001) << "twice the usual draw at most";
}

TEST(UnseenBill, a_job_that_never_ran_gets_nothing) {
  EXPECT_EQ(unseen_bill({}, {.energy = Joules(10)}, dear_later(), Watts(400)), Bill{});
}

}  // namespace
}  // namespace penstock
