#include "fit/held_out.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

constexpr SpeedModel kExactSpeed{0.02, 0.002, 0.03, 0.002, 0.06, 0.0004, 1.5, 0};

TEST(HeldOut, is_small_where_the_model_made_the_table) {
  SpeedTable table;
  for (const double batch : {64.0, 128.0, 256.0})
    for (const std::uint32_t gpus : {1u, 2u, 4u}) {
      const Config config{gpus, 1, batch, 1};
      table.points.push_back({config, iteration_time(kExactSpeed, config).total});
    }
  const SpeedHeldOut held_out = hold_out(table);
  EXPECT_GE(held_out.by_gpus, 0);
  EXPECT_LT(held_out.both, 0.1);
  EXPECT_GE(std::abs(held_out.worst_error), held_out.both);
}

TEST(HeldOut, is_negative_where_nothing_can_be_left_out) {
  const SpeedTable one{.points = {{{1, 1, 64, 1}, 0.1}}};
  EXPECT_LT(hold_out(one).by_gpus, 0);
  EXPECT_LT(hold_out(one).both, 0);
  const LimitSeries two{{Watts(100), 2, Watts(90)}, {Watts(200), 1, Watts(180)}};
  EXPECT_LT(hold_out(two, {.idle = Watts(30), .peak = Watts(300)}).draw, 0);
}

}  // namespace
}  // namespace penstock
