#include "fit/noise_fit.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(NoiseFit, finds_the_scale_that_made_the_samples) {
  // With a scale of 1000, a batch of 1100 needs 2100/1100 of the samples that 100 needs.
  const std::vector<NoiseObservation> seen{{100, 1100}, {1100, 2100}, {2100, 3100}};
  const NoiseFit fit = fit_noise(seen);
  EXPECT_EQ(fit.model.base, 100);
  EXPECT_NEAR(*fit.model.scale, 1000, 1);
  EXPECT_NEAR(fit.loss, 1 - 1100.0 / 3100, 1e-12);
  EXPECT_LT(fit.error, 1e-6);
}

TEST(NoiseFit, has_no_scale_where_no_loss_is_seen) {
  const std::vector<NoiseObservation> seen{{100, 5000}, {200, 4990}, {400, 5010}};
  EXPECT_FALSE(fit_noise(seen).model.scale);
}

}  // namespace
}  // namespace penstock
