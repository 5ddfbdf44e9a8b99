#include "fit/power_transfer.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

LimitSweep limits_of(std::string model, double most) {
  LimitSweep sweep{.model = std::move(model), .gpu = "v100", .source = "Zeus", .batch = 64};
  for (const double part : {0.5, 0.75, 1.0})
    sweep.series.push_back({Watts(300 * part), 1 / part, Watts(most * part)});
  return sweep;
}

TEST(PowerTransfer, knows_how_hard_each_network_drives_a_gpu) {
  const Measurements seen{.limits = {limits_of("bert", 300), limits_of("neumf", 150)}};
  const PowerTransfer transfer(seen, {});
  EXPECT_DOUBLE_EQ(transfer.drive("bert"), 1);
  EXPECT_DOUBLE_EQ(transfer.drive("neumf"), 0.5);
  EXPECT_DOUBLE_EQ(transfer.drive("unknown"), 1);  // the median of both, the upper one
}

TEST(PowerTransfer, guesses_where_nothing_was_measured) {
  const PowerTransfer transfer({}, {});
  const TransferredPower power = transfer.power_for("bert", "a100", 64);
  EXPECT_EQ(power.measured, nullptr);
  EXPECT_NE(power.source.find("transferred from a guess, top at 85 %"), std::string::npos)
      << power.source;
}

TEST(PowerPriors, know_the_gpus_of_the_catalogue_and_something_in_between) {
  EXPECT_EQ(prior_of("a100").peak, Watts(400));
  EXPECT_EQ(prior_of("abacus").peak, Watts(300));
}

}  // namespace
}  // namespace penstock
