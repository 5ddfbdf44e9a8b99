#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "experiment/sweep/folder.h"
#include "io/text/file.h"

namespace penstock {

/// A plan of so many points, and a folder of the test's own for them.
class OwnSweep : public testing::Test {
 protected:
  explicit OwnSweep(std::size_t points = 3) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    out = std::filesystem::path(testing::TempDir()) /
          (std::string(test->test_suite_name()) + "-" + test->name());
    std::filesystem::remove_all(out);
    plan.combinations.resize(points);
    for (std::size_t i = 0; i < points; ++i) {
      const std::string label = "point-" + std::to_string(i);
      plan.points.push_back({.combination = i, .label = label, .facts = {{"policy", label}}});
    }
    EXPECT_TRUE(name_points(plan));
  }
  ~OwnSweep() override { std::filesystem::remove_all(out); }

  Result<SweepFolder> open() const { return SweepFolder::open(out, plan); }
  std::string fault() const {
    const auto folder = open();
    return folder ? "" : folder.error().message;
  }
  /// As much of a summary as tells whose it is.
  std::string summary_of(std::size_t point) const {
    return "{\"key\": \"" + plan.points[point].key + "\"}";
  }
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((out / file).parent_path());
    std::ofstream(out / file) << text;
  }

  std::filesystem::path out;
  SweepPlan plan;
};

}  // namespace penstock
