#include "experiment/progress.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

namespace penstock {
namespace {

TEST(WorkInParallel, does_each_piece_once_and_tells_its_end) {
  std::array<std::atomic<int>, 100> times{};
  std::atomic<std::uint64_t> done = 0;
  WorkProgress last;
  work_in_parallel(
      times.size(), 3,
      [&](std::size_t i) {
        ++times[i];
        ++done;
      },
      [&](const WorkProgress& work) { last = work; },
      [&] { return WorkProgress{.done = done, .expected = times.size()}; });
  for (const auto& count : times) EXPECT_EQ(count, 1);
  EXPECT_EQ(last.done, 100u);
  EXPECT_TRUE(last.ended);
}

TEST(WorkInParallel, needs_no_listener_and_no_work) {
  int calls = 0;
  work_in_parallel(1, 4, [&](std::size_t) { ++calls; }, {}, {});
  work_in_parallel(0, 4, [&](std::size_t) { ++calls; }, {}, {});
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace penstock
