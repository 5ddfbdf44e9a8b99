#include "fit/front_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

/// 1000 / t + 20 t joules: least at 7.07 s, and from 8 s on GPUs only wait, at 30 W each.
PipelineFront curved() {
  PipelineFront front{.model = "m", .gpu = "a100", .source = "us", .gpus = 2};
  for (int i = 400; i <= 1000; ++i) {
    const double t = i / 100.0;
    const double busy = std::min(t, 8.0);
    front.points.push_back({t, 1000 / busy + 20 * busy + 60 * (t - busy)});
  }
  return front;
}

TEST(FrontFit, keeps_few_points_that_say_the_energy_at_every_time) {
  const PipelineFront front = curved();
  const Profile profile = front_profile(front);
  EXPECT_LE(profile.front.size(), 12u) << "of 308";
  EXPECT_EQ(profile.front.front(), front.points.front());
  EXPECT_NEAR(profile.front.back().seconds, 7.07, 0.01);
  for (const FrontPoint& point : front.points) {
    if (point.seconds > profile.front.back().seconds) break;
    EXPECT_NEAR(front_at(profile, 4 / point.seconds).joules / point.joules, 1, 1.001e-3);
  }
  EXPECT_NEAR(profile.power.p0.value(), 30, 1e-6);
  EXPECT_EQ(profile.gpus_least, 2u);
  EXPECT_EQ(profile.gpus_most, 2u);
}

TEST(FrontFit, takes_waiting_gpus_for_idle_where_no_plan_waits) {
  PipelineFront front = curved();
  std::erase_if(front.points, [](const FrontPoint& point) { return point.seconds > 7; });
  EXPECT_EQ(front_profile(front).power.p0, Watts(58));
  front.points.resize(1);
  EXPECT_EQ(front_profile(front).front.size(), 1u);
}

}  // namespace
}  // namespace penstock
