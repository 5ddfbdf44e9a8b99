#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

TEST(Rng, gives_the_same_numbers_for_the_same_seed) {
  Rng a(7);
  Rng b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Rng, is_splitmix64) {  // the generator's published first outputs for seed 0
  Rng rng(0);
  EXPECT_EQ(rng.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(rng.next(), 0x6e789e6aa1b965f4u);
}

TEST(Rng, goes_on_from_its_state) {
  Rng rng(7);
  rng.next();
  Rng again(rng.state());
  EXPECT_EQ(again.next(), rng.next());
}

TEST(Rng, streams_do_not_shift_each_other) {
  const Rng root(7);
  Rng failures = root.stream("failures");
  Rng arrivals = root.stream("arrivals");
  const std::uint64_t first = Rng(7).stream("arrivals").next();
  for (int i = 0; i < 10; ++i) failures.next();
  EXPECT_EQ(arrivals.next(), first);
  EXPECT_NE(root.stream("failures").next(), first);
  EXPECT_NE(root.stream(1).next(), root.stream(2).next());
}

template <class Draw>
double mean_of(const Draw& draw) {
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += draw();
  return sum / 100'000;
}

TEST(Rng, draws_have_the_means_they_promise) {
  Rng rng(1);
  EXPECT_NEAR(mean_of([&] { return rng.uniform(); }), 0.5, 0.01);
  EXPECT_NEAR(mean_of([&] { return rng.exponential(3); }), 3, 0.05);
  EXPECT_NEAR(mean_of([&] { return rng.normal(2, 5); }), 2, 0.08);
  EXPECT_NEAR(mean_of([&] { return std::abs(rng.normal(0, 1)); }), std::sqrt(2 / 3.14159265), 0.02);
}

TEST(Rng, draws_stay_in_their_range) {
  Rng rng(3);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_LT(rng.below(3), 3u);
    const double u = rng.uniform();
    EXPECT_TRUE(0 <= u && u < 1);
    EXPECT_GE(rng.exponential(1), 0);
  }
}

}  // namespace
}  // namespace penstock
