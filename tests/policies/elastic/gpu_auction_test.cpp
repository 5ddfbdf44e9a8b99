#include "policies/elastic/gpu_auction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

/// A job that can use one GPU of each pool, worth so much.
GpuBidder single(const std::vector<double>& values) {
  GpuBidder bidder;
  for (std::uint32_t pool = 0; pool < values.size(); ++pool)
    bidder.push_back({pool, {{}, {1, values[pool]}}});
  return bidder;
}

double worth(std::span<const GpuBidder> bidders, std::span<const GpuAward> awards) {
  double sum = 0;
  for (std::size_t job = 0; job < awards.size(); ++job)
    if (awards[job].gpus > 0)
      sum += std::ranges::find(bidders[job][awards[job].bid].choices, awards[job].gpus,
                               &GpuChoice::gpus)
                 ->value;
  return sum;
}

TEST(GpuAuction, gives_every_job_its_best_where_nothing_is_scarce) {
  const std::vector<GpuBidder> bidders{GpuBidder{{0, {{}, {1, 2}, {2, 3}}}, {1, {{}, {1, 2.5}}}}};
  const auto awards = auction_gpus(bidders, std::vector{2u, 2u});
  EXPECT_EQ(awards[0].bid, 0u);
  EXPECT_EQ(awards[0].gpus, 2u);
}

TEST(GpuAuction, gives_the_fast_pool_to_whom_the_other_serves_worse) {
  // The first would be worth most there, but loses only 1 elsewhere.
  const std::vector<GpuBidder> bidders{single({10, 9}), single({8, 2})};
  const auto awards = auction_gpus(bidders, std::vector{1u, 1u});
  EXPECT_EQ(awards[0].bid, 1u);
  EXPECT_EQ(awards[1].bid, 0u);
}

TEST(GpuAuction, divides_equal_jobs_among_equal_pools) {
  const std::vector<GpuBidder> bidders(6, single({3, 3}));
  const auto awards = auction_gpus(bidders, std::vector{2u, 2u});
  const auto with = [&](std::uint32_t pool) {
    return std::ranges::count_if(awards, [&](const GpuAward& award) {
      return award.gpus > 0 && bidders[0][award.bid].pool == pool;
    });
  };
  EXPECT_EQ(with(0), 2);
  EXPECT_EQ(with(1), 2);
  EXPECT_EQ(awards[4].gpus + awards[5].gpus, 0u) << "the last ones wait";
}

TEST(GpuAuction, gives_what_a_large_job_leaves_to_others) {
  // The large one needs all three, and is worth less than two small ones.
  const std::vector<GpuBidder> bidders{GpuBidder{{0, {{}, {3, 3.5}}}}, single({2}), single({2})};
  const auto awards = auction_gpus(bidders, std::vector{3u});
  EXPECT_EQ(awards[0].gpus, 0u);
  EXPECT_EQ(awards[1].gpus, 1u);
  EXPECT_EQ(awards[2].gpus, 1u);
}

TEST(GpuAuction, leaves_a_pool_without_gpus_empty) {
  const std::vector<GpuBidder> bidders{single({3, 1})};
  EXPECT_EQ(auction_gpus(bidders, std::vector{0u, 1u})[0].bid, 1u);
  EXPECT_EQ(auction_gpus(bidders, std::vector{0u, 0u})[0].gpus, 0u);
  EXPECT_TRUE(auction_gpus({}, std::vector{1u}).empty());
}

double best_from(std::span<const GpuBidder> bidders, std::vector<std::uint32_t>& free) {
  if (bidders.empty()) return 0;
  double best = best_from(bidders.subspan(1), free);
  for (const PoolChoices& pool : bidders.front())
    for (const GpuChoice& choice : pool.choices) {
      if (choice.gpus == 0 || choice.gpus > free[pool.pool]) continue;
      free[pool.pool] -= choice.gpus;
      best = std::max(best, choice.value + best_from(bidders.subspan(1), free));
      free[pool.pool] += choice.gpus;
    }
  return best;
}

/// Jobs whose speed grows by a power of their GPUs, on two pools.
std::vector<GpuBidder> random_bidders(Rng& rng) {
  std::vector<GpuBidder> bidders;
  for (std::uint64_t n = 2 + rng.below(4); n > 0; --n) {
    const double power = 0.3 + 0.6 * rng.uniform();
    GpuBidder& bidder = bidders.emplace_back();
    for (std::uint32_t pool = 0; pool < 2; ++pool) {
      bidder.push_back({pool, {{}}});
      const double one = std::exp(2 * rng.uniform());
      for (std::uint32_t gpus = 1; gpus <= 4; gpus *= 2)
        bidder.back().choices.push_back({gpus, one * std::pow(gpus, power)});
    }
  }
  return bidders;
}

TEST(GpuAuction, comes_near_to_the_best_of_all_divisions) {
  double sum = 0;
  constexpr int kCases = 300;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed);
    const std::vector<GpuBidder> bidders = random_bidders(rng);
    std::vector<std::uint32_t> gpus{1 + static_cast<std::uint32_t>(rng.below(6)),
                                    1 + static_cast<std::uint32_t>(rng.below(6))};
    const auto awards = auction_gpus(bidders, gpus);
    std::vector<std::uint32_t> used(2);
    for (std::size_t job = 0; job < awards.size(); ++job)
      used[bidders[job][awards[job].bid].pool] += awards[job].gpus;
    EXPECT_LE(used[0], gpus[0]) << seed;
    EXPECT_LE(used[1], gpus[1]) << seed;
    const double part = worth(bidders, awards) / best_from(bidders, gpus);
    EXPECT_GT(part, 0.8) << seed;
    sum += part;
  }
  EXPECT_GT(sum / kCases, 0.995);
}

/// The best division: each has one, and sixty have two.
TEST(GpuAuction, gives_many_equal_jobs_of_two_pools_all_gpus) {
  GpuBidder bidder;
  for (std::uint32_t pool = 0; pool < 2; ++pool)
    bidder.push_back({pool, {{}, {1, 1}, {2, 1.6}, {4, 2.5}}});
  const std::vector<GpuBidder> bidders(100, bidder);
  const auto awards = auction_gpus(bidders, std::vector{60u, 100u});
  EXPECT_NEAR(worth(bidders, awards), 100 + 60 * 0.6, 0.6);
}

TEST(GpuAuction, is_worth_the_same_in_whatever_order_pools_are_listed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    std::vector<GpuBidder> bidders = random_bidders(rng);
    const double before = worth(bidders, auction_gpus(bidders, std::vector{4u, 2u}));
    for (GpuBidder& bidder : bidders) {
      std::ranges::reverse(bidder);
      for (PoolChoices& pool : bidder) pool.pool = 1 - pool.pool;
    }
    EXPECT_DOUBLE_EQ(worth(bidders, auction_gpus(bidders, std::vector{2u, 4u})), before) << seed;
  }
}

}  // namespace
}  // namespace penstock
