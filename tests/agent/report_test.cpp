#include "agent/report.h"

#include <gtest/gtest.h>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

TEST(AgentReport, is_what_the_daemon_reads) {
  Report report{.node = "n1", .site = "east", .time = *parse_time("2026-03-01T00:00:00.500Z")};
  report.gpus.push_back({.reading = {.power = Watts(58.5), .clock_mhz = 510, .utilization = 0.25},
                         .energy = Joules(1234)});
  report.applied.push_back({.index = 0, .clock_mhz = 1200});
  report.problems = {"GPU 0: \xff"};
  EXPECT_EQ(
      to_json(report),
      R"({"node":"n1","site":"east","time":"2026-03-01T00:00:00.500Z","gpus":[{"index":0,)"
      R"("power_w":58.5,"clock_mhz":510,"utilization":0.25,"energy_j":1234.0,"limit_w":null}],)"
      R"("applied":[{"index":0,"clock_mhz":1200}],"problems":["GPU 0: )"
      "\xef\xbf\xbd\"]}");
}

TEST(AgentReport, says_when_energy_is_added_up_from_power) {
  const FakeGpus fake;
  const Nvml nvml = FakeGpus::open(PENSTOCK_FAKE_NVML_OLD);
  GpuMeters instruments(nvml);
  Report first;
  instruments.read(std::chrono::seconds(1), first);
  EXPECT_EQ(first.problems.at(0),
            "GPU 0: has no energy counter; energy_j is added up from its power");
  Report second;
  instruments.read(std::chrono::seconds(11), second);
  EXPECT_EQ(second.gpus.at(1).energy, Joules(580));
}

TEST(AgentReport, says_when_a_counter_is_not_to_be_believed) {
  const FakeGpus fake;
  const Nvml nvml = FakeGpus::open();
  GpuMeters instruments(nvml);
  Report first;
  instruments.read(std::chrono::seconds(1), first);
  EXPECT_TRUE(first.problems.empty());
  fake.set("joules.0", 1e12);
  Report second;
  instruments.read(std::chrono::seconds(2), second);
  EXPECT_EQ(second.problems.at(0),
            "GPU 0: its energy counter jumps; energy_j was added up from its power");
}

}  // namespace

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
