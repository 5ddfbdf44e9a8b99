#include "fit/refit_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

/// 16 s for an epoch on each of 1, 2 and 4 GPUs, and 100 W a GPU.
Profile prior() {
  Profile table = table_profile("lstm", "tesla", {{1, 16.0}, {2, 16.0}, {4, 16.0}});
  table.power.p0 = Watts(100);
  return table;
}

TableObservation on(std::uint32_t gpus, double seconds, std::uint32_t count = 1) {
  return {gpus, std::log(seconds), std::log(100.0 * gpus), count};
}

constexpr TableTrust kEven{.doubt = 0.2, .error = 0.2};

TEST(RefitTable, without_observations_is_the_prior) {
  EXPECT_EQ(refit_table(prior(), {}, kEven).epoch_seconds, prior().epoch_seconds);
}

TEST(RefitTable, an_entry_is_the_mean_of_prior_and_measurements_by_their_precision) {
  // As much doubt as error: half the way in logarithms, from 16 to 64 by 32.
  const std::vector once{on(1, 64)};
  EXPECT_NEAR(refit_table(prior(), once, kEven).epoch_seconds[0], 32, 1e-9);
  // Three measurements weigh three times the prior.
  const std::vector thrice{on(1, 256, 3)};
  EXPECT_NEAR(refit_table(prior(), thrice, kEven).epoch_seconds[0], 128, 1e-9);
}

TEST(RefitTable, entries_never_seen_move_by_a_part_of_the_mean_shift) {
  const std::vector one{on(1, 64)};  // moves by a factor of 2, so others by its root
  EXPECT_NEAR(refit_table(prior(), one, kEven).epoch_seconds[1], 16 * std::sqrt(2), 1e-9);
  const std::vector two{on(1, 64), on(2, 64)};  // two thirds of it
  EXPECT_NEAR(refit_table(prior(), two, kEven).epoch_seconds[3], 16 * std::pow(2, 2 / 3.0), 1e-9);
}

TEST(RefitTable, entries_never_seen_stay_if_the_others_contradict_each_other) {
  const std::vector both{on(1, 64), on(2, 4)};
  EXPECT_NEAR(refit_table(prior(), both, kEven).epoch_seconds[3], 16, 1e-9);
}

TEST(RefitTable, what_cannot_run_still_cannot) {
  const std::vector one{on(1, 64)};
  EXPECT_EQ(refit_table(prior(), one, kEven).epoch_seconds[2], 0);
}

TEST(RefitTable, the_draw_moves_as_a_whole) {
  TableObservation seen = on(4, 16);
  seen.log_draw = std::log(1600.0);
  EXPECT_NEAR(refit_table(prior(), std::vector{seen}, kEven).power.p0.value(), 200, 1e-9);
}

}  // namespace
}  // namespace penstock
