#include "base/in_parallel.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(InParallel, calls_every_index_once_on_any_number_of_threads) {
  for (const std::size_t threads : {0u, 1u, 2u, 7u, 100u}) {
    std::vector<int> calls(64, 0);
    in_parallel(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(64, 1)) << threads << " threads";
  }
}

TEST(InParallel, does_nothing_for_no_work) {
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace penstock
