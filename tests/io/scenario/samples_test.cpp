#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

TEST(Samples, every_scenario_of_the_repository_is_valid) {
  int count = 0;
  const auto data = std::filesystem::path(PENSTOCK_ROOT) / "data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".toml") continue;
    if (entry.path().parent_path().filename() == "models") continue;  // no scenarios
    const auto scenario = read_scenario(entry.path());
    EXPECT_TRUE(scenario) << scenario.error().message;
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace penstock
