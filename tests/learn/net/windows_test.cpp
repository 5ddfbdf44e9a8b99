#include "learn/net/windows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(Windows, keep_windows_of_any_size_apart) {
  Windows windows(2, 1);
  const std::vector<float> items{1, 2, 3, 4};
  const std::vector<float> early{7};
  const std::vector<float> late{8};
  const std::vector<std::uint8_t> barred{0, 1};
  windows.add({.items = items, .globals = early, .barred = barred});
  windows.add({.globals = late});  // no items
  windows.add({.items = std::span(items).first(2), .globals = late});
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows.count(), 3u);
  EXPECT_EQ(windows.count(1), 0u);
  EXPECT_TRUE(std::ranges::equal(windows[0].items, items));
  EXPECT_TRUE(std::ranges::equal(windows[0].barred, barred));
  EXPECT_EQ(windows[2].globals[0], 8);
  EXPECT_EQ(windows[2].barred[0], 0);
  std::vector<int> by_item{10, 11, 12};
  EXPECT_EQ(windows.of(2, std::span(by_item))[0], 12);
  windows.clear();
  EXPECT_EQ(windows.size(), 0u);
}

}  // namespace
}  // namespace penstock
