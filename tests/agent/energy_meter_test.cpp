#include "agent/energy_meter.h"

#include <gtest/gtest.h>

namespace penstock::agent {
namespace {

using namespace std::chrono_literals;
using Source = EnergyMeter::Source;

TEST(AgentEnergyMeter, follows_the_counter) {
  EnergyMeter meter;
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(5000)}, 0s), Source::counter);
  EXPECT_EQ(meter.total(), Joules(5000));
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(5321)}, 3s), Source::counter);
  EXPECT_EQ(meter.total(), Joules(5321));
}

TEST(AgentEnergyMeter, adds_up_power_where_there_is_no_counter) {
  EnergyMeter meter;
  EXPECT_EQ(meter.add({.power = Watts(100)}, 10s), Source::power);
  EXPECT_EQ(meter.add({.power = Watts(300)}, 12s), Source::power);
  EXPECT_EQ(meter.total(), Joules(400));
}

TEST(AgentEnergyMeter, never_falls_when_the_counter_does) {
  EnergyMeter meter;
  (void)meter.add({.power = Watts(100), .energy = Joules(5000)}, 0s);
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(20)}, 2s), Source::doubtful_counter);
  EXPECT_EQ(meter.total(), Joules(5200));
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(120)}, 3s), Source::counter);
  EXPECT_EQ(meter.total(), Joules(5300));
}

TEST(AgentEnergyMeter, does_not_believe_a_leap) {
  EnergyMeter meter;
  (void)meter.add({.power = Watts(100), .energy = Joules(5000)}, 0s);
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(9e9)}, 1s), Source::doubtful_counter);
  EXPECT_EQ(meter.total(), Joules(5100));
}

TEST(AgentEnergyMeter, bridges_a_gap_of_the_counter_by_power) {
  EnergyMeter meter;
  (void)meter.add({.power = Watts(100), .energy = Joules(5000)}, 0s);
  EXPECT_EQ(meter.add({.power = Watts(100)}, 1s), Source::power);
  EXPECT_EQ(meter.add({.power = Watts(100), .energy = Joules(5200)}, 2s), Source::power);
  EXPECT_EQ(meter.total(), Joules(5200));
}

}  // namespace
}  // namespace penstock::agent
