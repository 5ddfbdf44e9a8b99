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
  Instruments instruments(nvml);
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
  Instruments instruments(nvml);
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
}  // namespace penstock::agent
