#include "model/gpu_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace penstock {
namespace {

TEST(GpuCatalogue, every_type_is_plausible_and_has_a_source) {
  for (const GpuType& type : gpu_catalogue()) {
    SCOPED_TRACE(type.name);
    EXPECT_LE(type.sleep, type.idle);
    EXPECT_LT(type.idle, type.peak);
    EXPECT_GT(type.memory_gib, 0);
    EXPECT_NE(type.source, "");
  }
}

TEST(GpuCatalogue, clocks_climb_in_whole_steps) {
  for (const GpuType& type : gpu_catalogue()) {
    SCOPED_TRACE(type.name);
    if (type.max_clock_mhz == 0) continue;
    ASSERT_GT(type.clock_step_mhz, 0u);
    EXPECT_LT(type.min_clock_mhz, type.max_clock_mhz);
    EXPECT_EQ((type.max_clock_mhz - type.min_clock_mhz) % type.clock_step_mhz, 0u);
  }
}

TEST(GpuCatalogue, names_are_unique_and_include_the_cpu_core) {
  std::set<std::string> names;
  for (const GpuType& type : gpu_catalogue()) EXPECT_TRUE(names.insert(type.name).second);
  for (const char* name :
       {"a100", "a100-40gb", "h100", "v100", "p100", "k80", "t4", "a40", "tesla", "turing", "m60"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_TRUE(names.contains("cpu-core"));
}

TEST(GpuCatalogue, nodes_of_andreas_draw_what_was_published) {
  const auto peak = [](std::string_view name) {
    return std::ranges::find(gpu_catalogue(), name, &GpuType::name)->peak;
  };
  EXPECT_EQ(Watts(360) + peak("tesla") * 4, Watts(1040));
  EXPECT_EQ(Watts(330) + peak("turing") * 2, Watts(470));
}

}  // namespace
}  // namespace penstock
