#include "report/hourly_use.h"

#include <gtest/gtest.h>

#include <numeric>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

const Time kMidnight{std::chrono::sys_days(std::chrono::year(2021) / 7 / 12)};

TEST(HourlyUse, lays_what_is_held_on_the_hours_of_the_day) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "empty", {{.count = 1, .gpus = 2}});
  add_site(cluster, "busy", {{.count = 1, .gpus = 2}});
  const Time start = kMidnight + 22h;
  State state{cluster, {}, start};
  HourlyUse use(2, start);
  state.admit({.id = JobId{0}, .gpus = 2, .requested = 10h});
  state.apply(JobSubmitted{JobId{0}}, start);
  use.hold(start + 30min, state);
  state.apply(Start{JobId{0}, {{GpuId{2}, 2}}}, start + 30min);
  use.hold(start + 3h, state);
  state.apply(JobFinished{JobId{0}}, start + 3h);
  use.hold(start + 10h, state);
  const ByHour& busy = use.sites()[1];
  EXPECT_EQ(busy[22], 1);
  EXPECT_EQ(busy[23], 2);
  EXPECT_EQ(busy[0], 2);
  EXPECT_EQ(std::accumulate(busy.begin(), busy.end(), 0.0), 5);
  EXPECT_EQ(use.sites()[0], ByHour{});
}

TEST(MeanByHour, averages_each_hour_over_the_days) {
  std::vector<Signal<Price>::Step> steps;
  for (int h = 0; h < 48; ++h) steps.push_back({kMidnight + h * 1h, Price(h)});
  const Signal<Price> price(std::move(steps));
  const ByHour means = mean_by_hour(price, kMidnight + 12h, kMidnight + 36h + 30min);
  EXPECT_DOUBLE_EQ(means[11], 35);
  EXPECT_DOUBLE_EQ(means[12], (12 + 36 * 0.5) / 1.5);
  EXPECT_DOUBLE_EQ(means[13], 13);
}

TEST(MeanByHour, has_a_mean_for_hours_that_do_not_come_up) {
  const auto price = Signal<Price>::constant(Price(3));
  EXPECT_EQ(mean_by_hour(price, kMidnight, kMidnight + 2h)[20], 3);
}

}  // namespace
}  // namespace penstock
