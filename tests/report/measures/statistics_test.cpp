#include "report/measures/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

Quantiles of(const std::vector<std::int64_t>& values) {
  Quantiles q;
  for (const std::int64_t value : values) q.add(value);
  return q;
}

TEST(Quantiles, of_nothing_are_undefined) {
  EXPECT_EQ(Quantiles().percentile(50), std::nullopt);
  EXPECT_EQ(Quantiles().mean(), std::nullopt);
}

TEST(Quantiles, are_the_nearest_rank_and_never_between_two_values) {
  const Quantiles q = of({40, 10, 30, 20});
  EXPECT_EQ(q.percentile(1), 10);
  EXPECT_EQ(q.percentile(25), 10);  // a quarter of the values does not exceed 10
  EXPECT_EQ(q.percentile(26), 20);
  EXPECT_EQ(q.percentile(50), 20);
  EXPECT_EQ(q.percentile(51), 30);
  EXPECT_EQ(q.percentile(100), 40);
  EXPECT_EQ(q.mean(), 25);
}

TEST(Quantiles, take_the_19th_of_20_as_95th_percentile) {
  Quantiles q;
  for (int i = 20; i >= 1; --i) q.add(i);
  EXPECT_EQ(q.percentile(95), 19);
  EXPECT_EQ(q.percentile(99), 20);
}

TEST(Quantiles, of_one_value_are_that_value) {
  EXPECT_EQ(of({7}).percentile(1), 7);
  EXPECT_EQ(of({7}).percentile(99), 7);
}

TEST(Quantiles, stay_within_a_twentieth_of_a_percent_when_there_are_many) {
  Rng rng(7);
  Quantiles q;
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < 2 * Quantiles::kExact; ++i) {
    // From under a second to ten thousand hours, evenly in the logarithm.
    all.push_back(static_cast<std::int64_t>(std::exp(rng.uniform() * 24.3)));
    q.add(all.back());
  }
  std::ranges::sort(all);
  for (unsigned percent = 1; percent <= 100; ++percent) {
    const auto exact = static_cast<double>(all[(percent * all.size() + 99) / 100 - 1]);
    EXPECT_NEAR(static_cast<double>(*q.percentile(percent)), exact, exact * 0.0005) << percent;
  }
}

TEST(Quantiles, of_small_numbers_stay_exact_however_many_there_are) {
  Quantiles q;
  for (std::size_t i = 0; i <= Quantiles::kExact; ++i) q.add(static_cast<std::int64_t>(i % 2048));
  q.add(1'000'000'007);
  EXPECT_EQ(q.percentile(50), 1023);
  EXPECT_EQ(q.percentile(100), 1'000'000'007);  // the largest is always exact
}

TEST(Quantiles, do_not_jump_where_counting_in_buckets_begins) {
  Quantiles q;
  for (std::size_t i = 0; i < Quantiles::kExact; ++i) q.add(5'000'000);
  EXPECT_EQ(q.percentile(50), 5'000'000);
  q.add(5'000'000);
  EXPECT_EQ(q.percentile(50), 5'000'000);
  EXPECT_EQ(q.mean(), 5'000'000);
}

}  // namespace

namespace {

TEST(Spread, is_a_mean_and_half_its_interval) {
  const Spread spread = spread_of(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_NEAR(spread.half, 4.303 / 1.7320508, 1e-6);
}

TEST(Spread, of_fewer_than_two_has_no_width) {
  EXPECT_EQ(spread_of(std::vector<double>{5}).half, 0);
  EXPECT_EQ(spread_of({}).mean, 0);
}

}  // namespace

namespace {

TEST(PairedChange, compares_means_and_typical_occasions) {
  const PairedChange change = paired_change(std::vector<double>{1, 8}, std::vector<double>{2, 4});
  EXPECT_DOUBLE_EQ(change.of_mean, 0.5);
  EXPECT_NEAR(change.of_middle, 0, 1e-12);  // half and double
  EXPECT_DOUBLE_EQ(change.low, -0.5);
  EXPECT_DOUBLE_EQ(change.high, 1);
}

TEST(PairedChange, is_sure_where_every_occasion_agrees) {
  const PairedChange change =
      paired_change(std::vector<double>{1, 10, 100}, std::vector<double>{2, 20, 200});
  EXPECT_DOUBLE_EQ(change.low, -0.5);
  EXPECT_DOUBLE_EQ(change.high, -0.5);
}

TEST(PairedChange, of_one_occasion_has_no_width) {
  const PairedChange change = paired_change(std::vector<double>{3}, std::vector<double>{2});
  EXPECT_DOUBLE_EQ(change.low, 0.5);
  EXPECT_DOUBLE_EQ(change.high, 0.5);
}

}  // namespace

}  // namespace penstock
