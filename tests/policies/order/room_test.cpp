#include "policies/order/room.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

Time moment(std::int64_t ms) {
  return Time(Duration(ms));
}

TEST(Timeline, of_an_empty_pool_fits_anything_now) {
  Timeline line(8);
  line.advance(moment(10));
  EXPECT_EQ(line.free_now(), 8);
  EXPECT_EQ(line.earliest_fit(8, Duration(100)), moment(10));
  EXPECT_EQ(line.earliest_fit(9, Duration(1)), Time::max());
  EXPECT_EQ(line.first_below(8, moment(10)), Time::max());
}

TEST(Timeline, finds_the_first_hole_that_is_long_enough) {
  Timeline line(4);
  line.advance(moment(0));
  line.occupy(moment(0), moment(10), 3);
  line.occupy(moment(20), moment(30), 2);
  EXPECT_EQ(line.earliest_fit(1, Duration(100)), moment(0));
  EXPECT_EQ(line.earliest_fit(3, Duration(10)), moment(10));
  EXPECT_EQ(line.earliest_fit(3, Duration(11)), moment(30));
  EXPECT_EQ(line.first_below(3, moment(10)), moment(20));
  line.vacate(moment(20), moment(30), 2);
  EXPECT_EQ(line.earliest_fit(3, Duration(11)), moment(10));
}

TEST(Timeline, forgets_the_past) {
  Timeline line(4);
  line.advance(moment(0));
  line.occupy(moment(5), moment(15), 4);
  line.advance(moment(10));
  EXPECT_EQ(line.free_now(), 0);
  line.advance(moment(15));
  EXPECT_EQ(line.free_now(), 4);
}

/// Free GPUs for each of the next milliseconds.
class SlowLine {
 public:
  SlowLine() : free_(kEnd, 10) {}
  void occupy(std::int64_t from, std::int64_t to, std::int64_t gpus) {
    for (auto t = static_cast<std::size_t>(from); t < static_cast<std::size_t>(to); ++t)
      free_[t] -= gpus;
  }
  std::int64_t free(std::int64_t t) const { return free_[static_cast<std::size_t>(t)]; }
  Time first_below(std::int64_t gpus, std::int64_t from) const {
    for (; from < kEnd; ++from)
      if (free(from) < gpus) return moment(from);
    return Time::max();
  }
  Time earliest_fit(std::int64_t gpus, std::int64_t length, std::int64_t from) const {
    for (; from < kEnd - length; ++from)
      if (first_below(gpus, from) >= moment(from + length)) return moment(from);
    return Time::max();
  }
  static constexpr std::int64_t kEnd = 400;

 private:
  std::vector<std::int64_t> free_;
};

TEST(Timeline, answers_like_a_table_of_milliseconds) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(rng.below(n)); };
    Timeline line(10);
    SlowLine slow;
    std::int64_t now = 0;
    line.advance(moment(now));
    for (int i = 0; i < 60; ++i) {
      const std::int64_t from = now + below(40);
      const std::int64_t to = from + 1 + below(40);
      const std::int64_t gpus = below(9) - 3;
      line.occupy(moment(from), moment(to), gpus);
      slow.occupy(from, to, gpus);
      if (below(3) == 0) line.advance(moment(now += below(5)));
      const std::int64_t wanted = below(15);
      ASSERT_EQ(line.free_now(), slow.free(now));
      ASSERT_EQ(line.first_below(wanted, moment(now + 3)), slow.first_below(wanted, now + 3));
      const Duration length(1 + below(20));
      ASSERT_EQ(line.earliest_fit(wanted, length), slow.earliest_fit(wanted, length.count(), now))
          << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace

}  // namespace penstock
