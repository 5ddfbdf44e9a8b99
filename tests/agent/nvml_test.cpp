#include "agent/nvml.h"

#include <gtest/gtest.h>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

std::string open_error(const std::string& library) {
  const auto nvml = Nvml::open(library);
  return nvml ? "fine" : nvml.error().message;
}

TEST(Nvml, tells_what_the_gpus_are) {
  const FakeGpus fake;
  const Nvml nvml = FakeGpus::open();
  EXPECT_EQ(nvml.gpu_count(), 2U);
  EXPECT_EQ(nvml.traits(1).name, "Fake a100");
  EXPECT_EQ(nvml.traits(1).clocks.size(), 61U);
  EXPECT_EQ(nvml.traits(1).clocks.front(), 510U);
  EXPECT_EQ(nvml.traits(1).clocks.back(), 1410U);
  EXPECT_EQ(nvml.traits(1).least_limit, Watts(100));
  EXPECT_EQ(nvml.traits(1).most_limit, Watts(400));
}

TEST(Nvml, reads_a_gpu) {
  const FakeGpus fake;
  fake.set("busy.1", 1);
  const Nvml nvml = FakeGpus::open();
  const Reading idle = nvml.read(0);
  EXPECT_EQ(idle.power, Watts(58));
  EXPECT_EQ(idle.utilization, 0);
  const Reading busy = nvml.read(1);
  EXPECT_EQ(busy.power, Watts(400));
  EXPECT_EQ(busy.clock_mhz, 1410U);
  EXPECT_EQ(busy.utilization, 1);
  EXPECT_EQ(busy.limit, Watts(400));
  EXPECT_TRUE(busy.energy);
  EXPECT_TRUE(busy.problems.empty());
}

TEST(Nvml, locks_and_unlocks_a_clock) {
  const FakeGpus fake;
  fake.set("busy.0", 1);
  const Nvml nvml = FakeGpus::open();
  EXPECT_FALSE(nvml.lock_clock(0, 510, 705));
  EXPECT_EQ(fake.get("lock.0"), 705);
  EXPECT_EQ(nvml.read(0).clock_mhz, 705U);
  EXPECT_NEAR(nvml.read(0).power->value(), 58 + 342 * (0.15 + 0.0875), 1e-3);
  EXPECT_FALSE(nvml.unlock_clock(0));
  EXPECT_EQ(nvml.read(0).clock_mhz, 1410U);
}

TEST(Nvml, a_power_limit_slows_a_gpu_down) {
  const FakeGpus fake;
  fake.set("busy.0", 1);
  const Nvml nvml = FakeGpus::open();
  EXPECT_FALSE(nvml.limit_power(0, Watts(200)));
  EXPECT_LE(*nvml.read(0).power, Watts(200));
  EXPECT_LT(nvml.read(0).clock_mhz, 1410U);
  EXPECT_EQ(*nvml.default_limit(0), Watts(400));
}

TEST(Nvml, says_why_there_is_none) {
  const FakeGpus fake;
  EXPECT_EQ(open_error("/nowhere/libnvidia-ml.so.1"),
            "no NVIDIA library (/nowhere/libnvidia-ml.so.1: cannot open shared object file: No "
            "such file or directory): install NVIDIA's driver, or say where it is by --library");
  EXPECT_EQ(open_error("libm.so.6"),
            "libm.so.6 is not NVIDIA's management library, or too old: it lacks nvmlInit_v2, "
            "nvmlDeviceGetCount_v2 or nvmlDeviceGetHandleByIndex_v2");
  fake.set("fail.nvmlInit_v2", 9);
  EXPECT_EQ(
      open_error(PENSTOCK_FAKE_NVML),
      "no NVIDIA driver is loaded: Driver Not Loaded (NVML error 9); possible: modprobe nvidia, or "
      "no agent here");
  fake.set("fail.nvmlInit_v2", 4);
  EXPECT_EQ(open_error(PENSTOCK_FAKE_NVML),
            "no permission to talk to NVIDIA's driver: Insufficient Permissions (NVML error 4)");
}

TEST(Nvml, a_node_without_gpus_is_no_place_for_an_agent) {
  const FakeGpus fake;
  setenv("PENSTOCK_FAKE_NVML_GPUS", "0", 1);
  EXPECT_EQ(open_error(PENSTOCK_FAKE_NVML),
            "NVIDIA's library finds no GPU on this node; possible: no agent here");
  fake.set("lie.count", 1);
  EXPECT_EQ(open_error(PENSTOCK_FAKE_NVML),
            "NVIDIA's library speaks of 4000000000 GPUs, which nobody believes");
}

TEST(Nvml, refusals_are_told_apart) {
  const FakeGpus fake;
  const Nvml nvml = FakeGpus::open();
  fake.set("fail.nvmlDeviceSetGpuLockedClocks", 4);
  EXPECT_EQ(nvml.lock_clock(0, 510, 600)->kind, NvmlFailure::Kind::no_permission);
  fake.set("fail.nvmlDeviceSetGpuLockedClocks", 3);
  EXPECT_EQ(nvml.lock_clock(0, 510, 600)->kind, NvmlFailure::Kind::not_supported);
  fake.set("fail.nvmlDeviceSetGpuLockedClocks", 999);
  EXPECT_EQ(nvml.lock_clock(0, 510, 600)->kind, NvmlFailure::Kind::other);
}

TEST(Nvml, an_old_library_lacks_functions_and_that_is_all) {
  const FakeGpus fake;
  const Nvml nvml = FakeGpus::open(PENSTOCK_FAKE_NVML_OLD);
  EXPECT_TRUE(nvml.traits(0).clocks.empty());
  const Reading reading = nvml.read(0);
  EXPECT_FALSE(reading.energy);
  EXPECT_EQ(reading.power, Watts(58));
  EXPECT_TRUE(reading.problems.empty());
  EXPECT_EQ(nvml.lock_clock(0, 510, 600)->kind, NvmlFailure::Kind::not_supported);
  EXPECT_EQ(nvml.lock_clock(0, 510, 600)->text, "this version of NVIDIA's library cannot do that");
}

TEST(Nvml, what_nobody_can_believe_is_not_read) {
  const FakeGpus fake;
  fake.set("lie.power", 1);
  fake.set("fail.nvmlDeviceGetClockInfo", 15);
  const Reading reading = FakeGpus::open().read(0);
  EXPECT_FALSE(reading.power);
  EXPECT_FALSE(reading.clock_mhz);
  EXPECT_EQ(reading.problems,
            (std::vector<std::string>{"GPU 0: power: 4294967295 is not believable",
                                      "GPU 0: clock: Fake Error (NVML error 15)"}));
}

}  // namespace
}  // namespace penstock::agent
