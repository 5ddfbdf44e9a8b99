#include "policy/place/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "policy/place/one_site.h"

namespace penstock {
namespace {

Cluster two_nodes_of_four() {
  return cluster_of({{.count = 2, .gpus = 4}});
}

TEST(Pool, first_fit_takes_the_lowest_free_gpus) {
  const Cluster cluster = two_nodes_of_four();
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::first_fit);
  pool.take(gpus(1, 2));
  EXPECT_EQ(pool.place(3), (Placement{{GpuId{0}, 1}, {GpuId{3}, 1}, {GpuId{4}, 1}}));
  EXPECT_EQ(pool.place(7), std::nullopt);
}

TEST(Pool, best_fit_fills_the_node_with_the_least_room) {
  const Cluster cluster = two_nodes_of_four();
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::best_fit);
  pool.take(gpus(4, 2));
  EXPECT_EQ(pool.place(2), gpus(6, 2));
  EXPECT_EQ(pool.place(3), gpus(0, 3));
  EXPECT_EQ(gpu_count(*pool.place(6)), 6u);
}

TEST(Pool, consolidate_waits_rather_than_split_a_small_job) {
  const Cluster cluster = two_nodes_of_four();
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::consolidate);
  pool.take(gpus(0, 2));
  pool.take(gpus(4, 2));
  EXPECT_EQ(pool.free(), 4u);
  EXPECT_EQ(pool.place(3), std::nullopt);
  EXPECT_EQ(pool.place(2), gpus(2, 2));
}

TEST(Pool, consolidate_prefers_one_rack) {
  const Cluster cluster = cluster_of({{.count = 4, .gpus = 4, .rack = 2}});
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::consolidate);
  pool.take(gpus(0, 1));
  EXPECT_EQ(pool.place(8), (Placement{{GpuId{8}, 4}, {GpuId{12}, 4}}));
}

TEST(Pool, buddy_gives_aligned_blocks) {
  const Cluster cluster = cluster_of({{.count = 1, .gpus = 8}});
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::buddy);
  pool.take(gpus(0, 1));
  EXPECT_EQ(pool.place(1), gpus(1, 1));
  EXPECT_EQ(pool.place(2), gpus(2, 2));
  EXPECT_EQ(pool.place(4), gpus(4, 4));
  pool.take(gpus(5, 1));
  EXPECT_EQ(pool.place(4), std::nullopt);
}

TEST(Pool, a_node_that_is_down_offers_nothing) {
  const Cluster cluster = two_nodes_of_four();
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::first_fit);
  pool.node_down(NodeId{0});
  EXPECT_EQ(pool.free(), 4u);
  EXPECT_EQ(pool.place(1), gpus(4, 1));
  EXPECT_EQ(pool.place(5), std::nullopt);
  pool.node_up(NodeId{0});
  EXPECT_EQ(pool.place(1), gpus(0, 1));
}

/// A pool and, beside it, which GPUs are free and which nodes are up.
class PoolAndTable {
 public:
  PoolAndTable(const Cluster& cluster, PlaceRule rule, std::uint64_t seed)
      : cluster_(cluster),
        rule_(rule),
        rng_(seed),
        pool_(cluster, SiteId{0}, GpuTypeId{0}, rule),
        free_(cluster.gpu_count(), true),
        up_(cluster.nodes.size(), true) {}

  void step() {
    const std::uint64_t dice = rng_.below(10);
    if (dice < 5) try_to_place(1 + static_cast<std::uint32_t>(rng_.below(9)));
    if (dice >= 5 && dice < 9 && !held_.empty()) release(rng_.below(held_.size()));
    if (dice == 9) toggle(static_cast<std::uint32_t>(rng_.below(up_.size())));
    ASSERT_EQ(pool_.free(), free_and_up());
  }

 private:
  std::uint32_t free_and_up() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < free_.size(); ++i) count += usable(i) ? 1 : 0;
    return count;
  }
  bool usable(std::uint32_t gpu) const { return free_[gpu] && up_[cluster_.node_of[gpu].index]; }
  std::uint32_t usable_on(std::uint32_t node) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < cluster_.nodes[node].gpus; ++i)
      count += usable(cluster_.nodes[node].first.index + i) ? 1 : 0;
    return count;
  }
  /// Some node could hold the whole job.
  bool fits_one_node(std::uint32_t wanted) const {
    for (std::uint32_t n = 0; n < up_.size(); ++n)
      if (usable_on(n) >= wanted) return true;
    return false;
  }

  void try_to_place(std::uint32_t wanted) {
    const auto where = pool_.place(wanted);
    const bool spreads = rule_ == PlaceRule::first_fit || rule_ == PlaceRule::best_fit;
    const bool one_node = rule_ == PlaceRule::consolidate && wanted <= pool_.largest_node();
    ASSERT_TRUE(!spreads || where.has_value() == (wanted <= free_and_up()));
    ASSERT_TRUE(!one_node || where.has_value() == fits_one_node(wanted));
    if (!where) return;
    check(*where, wanted);
    pool_.take(*where);
    mark(*where, false);
    held_.push_back(*where);
  }

  void check(const Placement& where, std::uint32_t wanted) {
    ASSERT_EQ(gpu_count(where), wanted);
    std::uint32_t past = 0;
    for (const GpuRange& range : where) {
      ASSERT_GE(range.first.index, past);
      past = range.first.index + range.count;
      for (std::uint32_t i = range.first.index; i < past; ++i) ASSERT_TRUE(usable(i));
      ASSERT_EQ(cluster_.node_of[range.first.index], cluster_.node_of[past - 1]);
    }
    const bool one_node =
        rule_ != PlaceRule::first_fit && fits_one_node(wanted) && wanted <= pool_.largest_node();
    const bool is_on_one =
        cluster_.node_of[where.front().first.index] == cluster_.node_of[past - 1];
    ASSERT_TRUE(!one_node || is_on_one);
  }

  void mark(const Placement& where, bool free) {
    for (const GpuRange& range : where)
      for (std::uint32_t i = 0; i < range.count; ++i) free_[range.first.index + i] = free;
  }
  void release(std::size_t i) {
    pool_.give(held_[i]);
    mark(held_[i], true);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void toggle(std::uint32_t node) {
    if (!up_[node]) {
      pool_.node_up(NodeId{node});
      up_[node] = true;
    } else if (usable_on(node) == cluster_.nodes[node].gpus) {
      pool_.node_down(NodeId{node});
      up_[node] = false;
    }
  }

  const Cluster& cluster_;
  PlaceRule rule_;
  Rng rng_;
  Pool pool_;
  std::vector<bool> free_;  ///< indexed by GpuId
  std::vector<bool> up_;    ///< indexed by NodeId
  std::vector<Placement> held_;
};

TEST(Pool, never_gives_what_is_not_free_and_finds_what_there_is) {
  using enum PlaceRule;
  const Cluster even = cluster_of({{.count = 5, .gpus = 4, .rack = 2}});
  const Cluster odd = cluster_of({{.count = 3, .gpus = 3, .rack = 1}, {.count = 2, .gpus = 6}});
  for (const Cluster* cluster : {&even, &odd})
    for (const PlaceRule rule : {first_fit, best_fit, consolidate, buddy})
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        PoolAndTable both(*cluster, rule, seed);
        for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) both.step();
      }
}

TEST(Pool, buddy_can_use_every_free_gpu_one_by_one) {
  const Cluster cluster = cluster_of({{.count = 2, .gpus = 6}});
  Pool pool(cluster, SiteId{0}, GpuTypeId{0}, PlaceRule::buddy);
  for (int i = 0; i < 12; ++i) {
    const auto where = pool.place(1);
    ASSERT_TRUE(where.has_value());
    pool.take(*where);
  }
  EXPECT_EQ(pool.free(), 0u);
}

}  // namespace
}  // namespace penstock
