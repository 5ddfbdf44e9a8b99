#include "policies/order/eviction.h"

#include <gtest/gtest.h>

#include <deque>

namespace penstock {
namespace {

TEST(Victims, are_counted_and_named_above_a_rank_only) {
  Victims victims(1);
  victims.insert(0, {.value = 10, .id = 1}, 2);
  victims.insert(0, {.value = 30, .id = 2}, 4);
  victims.insert(0, {.value = 20, .id = 3}, 1);
  EXPECT_EQ(victims.gpus_above(0, 10), 5u);
  const auto* worst = victims.worst(0, 10, nullptr);
  ASSERT_NE(worst, nullptr);
  EXPECT_EQ(worst->id, 2u);
  const auto* next = victims.worst(0, 10, worst);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->id, 3u);
  EXPECT_EQ(victims.worst(0, 10, next), nullptr);
}

/// Two nodes of four GPUs: job 0 has the first node, jobs 1 and 2 each half of the second.
class EvictionTest : public testing::Test {
 protected:
  EvictionTest() {
    run(0, {{GpuId{0}, 4}});
    run(1, {{GpuId{4}, 2}});
    run(2, {{GpuId{6}, 2}});
  }

  /// Offers these jobs as victims, in this order.
  Eviction evict(std::uint32_t gpus, std::deque<std::uint32_t> victims) {
    return find_eviction(pool_, gpus, state_, [&]() -> std::optional<JobId> {
      if (victims.empty()) return std::nullopt;
      const JobId next{victims.front()};
      victims.pop_front();
      return next;
    });
  }

  Pool& pool() { return pool_; }

 private:
  static Cluster two_nodes() {
    Cluster cluster;
    cluster.types.push_back({.name = "gpu", .idle = Watts(1), .peak = Watts(2)});
    add_site(cluster, "here", {{.count = 2, .gpus = 4}});
    return cluster;
  }
  void run(std::uint32_t id, const Placement& where) {
    state_.admit({.id = JobId{id}, .gpus = gpu_count(where), .requested = Duration(1000)});
    state_.apply(Event{JobSubmitted{JobId{id}}}, Time{});
    state_.apply(Action{Start{JobId{id}, where}}, Time{});
    pool_.take(where);
  }

  Cluster cluster_ = two_nodes();
  State state_{cluster_, Costs{}, Time{}};
  Pool pool_{cluster_, SiteId{}, GpuTypeId{}, PlaceRule::consolidate};
};

TEST_F(EvictionTest, stops_jobs_in_the_given_order_until_the_job_fits) {
  const Eviction found = evict(4, {1, 2, 0});
  EXPECT_EQ(found.victims, (std::vector{JobId{2}, JobId{1}}));
  EXPECT_EQ(found.where, (Placement{{GpuId{4}, 4}}));
}

TEST_F(EvictionTest, spares_a_victim_that_is_not_in_the_way) {
  const Eviction found = evict(4, {1, 0});
  EXPECT_EQ(found.victims, (std::vector{JobId{0}}));
  EXPECT_EQ(found.where, (Placement{{GpuId{0}, 4}}));
}

TEST_F(EvictionTest, is_nowhere_if_the_victims_do_not_suffice) {
  EXPECT_TRUE(evict(4, {1}).where.empty());
}

TEST_F(EvictionTest, leaves_the_pool_as_it_was) {
  (void)evict(4, {1, 0});
  (void)evict(8, {1, 2});
  EXPECT_EQ(pool().free(), 0u);
  EXPECT_FALSE(pool().place(1));
}

}  // namespace
}  // namespace penstock
