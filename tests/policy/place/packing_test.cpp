#include "policy/place/packing.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "policy/place/one_site.h"

namespace penstock {
namespace {

double one_each(JobId) {
  return 1;
}

/// A packing of a cluster of its own, filled by hand.
struct Filled {
  Cluster cluster;
  Packing packing{cluster, SiteId{0}, GpuTypeId{0}};
  std::uint32_t jobs = 0;

  explicit Filled(const std::vector<NodeGroup>& groups) : cluster(cluster_of(groups)) {}
  JobId put(std::uint32_t first, std::uint32_t count) {
    packing.take(JobId{jobs}, gpus(first, count));
    return JobId{jobs++};
  }
  /// Makes each move, whose target must be free then.
  void apply(const std::vector<Move>& moves) {
    for (const Move& move : moves) {
      ASSERT_EQ(gpu_count(move.to), gpu_count(*packing.of(move.job)));
      packing.give(move.job);
      packing.take(move.job, move.to);
    }
  }
};

TEST(Packing, knows_who_holds_what) {
  Filled f({{.count = 2, .gpus = 4}});
  const JobId job = f.put(4, 2);
  EXPECT_EQ(*f.packing.of(job), gpus(4, 2));
  EXPECT_EQ(f.packing.holder(GpuId{5}), job);
  EXPECT_EQ(f.packing.holder(GpuId{6}), std::nullopt);
  EXPECT_EQ(f.packing.free(), 6u);
  f.packing.give(job);
  EXPECT_EQ(f.packing.of(job), nullptr);
  EXPECT_EQ(f.packing.free(), 8u);
}

TEST(Packing, a_node_that_is_down_counts_neither_as_free_nor_as_capacity) {
  Filled f({{.count = 2, .gpus = 4}});
  f.packing.node_down(NodeId{0});
  EXPECT_EQ(f.packing.capacity(), 4u);
  EXPECT_EQ(f.packing.free(), 4u);
  EXPECT_EQ(f.packing.place(1), gpus(4, 1));
  f.packing.node_up(NodeId{0});
  EXPECT_EQ(f.packing.capacity(), 8u);
}

TEST(Packing, splits_the_smallest_block_that_fits) {
  Filled f({{.count = 1, .gpus = 8}});
  f.put(0, 1);  // free: 1, 2 at 2, 4 at 4
  EXPECT_EQ(f.packing.place(1), gpus(1, 1));
  EXPECT_EQ(f.packing.place(2), gpus(2, 2));
  EXPECT_EQ(f.packing.place(4), gpus(4, 4));
}

TEST(Packing, takes_the_fullest_node_among_equal_blocks) {
  Filled f({{.count = 3, .gpus = 8}});
  f.put(0, 2);  // node 0: blocks of 2 and 4 free
  f.put(8, 2);
  f.put(12, 4);  // node 1: a block of 2
  EXPECT_EQ(f.packing.place(2), gpus(10, 2));
  EXPECT_EQ(f.packing.place(4), gpus(4, 4));
  EXPECT_EQ(f.packing.place(8), gpus(16, 8));
}

TEST(Packing, leaves_idle_nodes_idle_even_if_they_have_a_smaller_block) {
  Filled f({{.count = 2, .gpus = 6}});  // idle, a node is blocks of 4 and 2
  f.put(10, 2);                         // node 1 has its block of 4 left
  EXPECT_EQ(f.packing.place(2), gpus(6, 2));
}

TEST(Packing, wakes_no_node_while_another_is_awake) {
  Filled f({{.count = 3, .gpus = 4}});
  f.packing.set_asleep(NodeId{0}, true);
  EXPECT_EQ(f.packing.place(2), gpus(4, 2));
  EXPECT_EQ(f.packing.place(8), (Placement{{GpuId{4}, 4}, {GpuId{8}, 4}}));
  f.put(4, 4);
  f.put(8, 4);
  EXPECT_EQ(f.packing.place(2), gpus(0, 2));
  f.packing.set_asleep(NodeId{0}, false);
  EXPECT_EQ(f.packing.place(2), gpus(0, 2));
}

TEST(Packing, puts_a_large_job_under_the_switch_with_the_least_room) {
  Filled f({{.count = 9, .gpus = 4, .rack = 3}});
  f.put(16, 1);  // the second switch has two idle nodes, the others three
  EXPECT_EQ(f.packing.place(8), (Placement{{GpuId{12}, 4}, {GpuId{20}, 4}}));
  EXPECT_EQ(f.packing.place(12), (Placement{{GpuId{0}, 4}, {GpuId{4}, 4}, {GpuId{8}, 4}}));
}

TEST(Packing, spreads_over_the_fewest_switches_if_one_is_not_enough) {
  Filled f({{.count = 9, .gpus = 4, .rack = 3}});
  f.put(0, 1);
  f.put(4, 1);   // idle nodes by switch: 1, 2, 3
  f.put(12, 1);  // sixteen GPUs are four nodes: three and the one of the tightest switch
  EXPECT_EQ(f.packing.place(16),
            (Placement{{GpuId{8}, 4}, {GpuId{24}, 4}, {GpuId{28}, 4}, {GpuId{32}, 4}}));
}

TEST(Packing, takes_fewer_large_nodes_rather_than_many_small_ones) {
  Filled f({{.count = 4, .gpus = 4}, {.count = 2, .gpus = 8, .rack = 1}});
  EXPECT_EQ(f.packing.place(16), (Placement{{GpuId{16}, 8}, {GpuId{24}, 8}}));
}

TEST(Packing, nodes_of_six_hold_any_size_up_to_six) {
  Filled f({{.count = 1, .gpus = 6}, {.count = 1, .gpus = 8}});
  f.put(6, 8);
  for (const std::uint32_t size : {1u, 2u}) EXPECT_EQ(f.packing.place(size), gpus(4, size));
  for (const std::uint32_t size : {3u, 4u, 5u, 6u}) EXPECT_EQ(f.packing.place(size), gpus(0, size));
  f.put(2, 1);
  EXPECT_EQ(f.packing.place(5), (Placement{{GpuId{0}, 2}, {GpuId{3}, 3}}));
}

TEST(Packing, a_job_shrinks_to_a_part_of_its_place) {
  Filled f({{.count = 3, .gpus = 8}});
  const JobId job = f.put(4, 4);
  EXPECT_EQ(f.packing.place_instead(job, 2), gpus(4, 2));
  EXPECT_EQ(f.packing.place_instead(job, 4), gpus(4, 4));
  f.packing.give(job);
  f.packing.take(job, {{GpuId{8}, 8}, {GpuId{16}, 8}});
  EXPECT_EQ(f.packing.place_instead(job, 8), gpus(8, 8));
  EXPECT_EQ(f.packing.place_instead(job, 1), gpus(8, 1));
}

TEST(Packing, a_job_grows_into_its_buddy_if_that_is_free) {
  Filled f({{.count = 2, .gpus = 8}});
  const JobId job = f.put(6, 2);
  EXPECT_EQ(f.packing.place_instead(job, 4), gpus(4, 4));
  EXPECT_EQ(f.packing.place_instead(job, 8), gpus(0, 8));
  f.put(4, 1);
  EXPECT_EQ(f.packing.place_instead(job, 4), gpus(0, 4));
  EXPECT_EQ(f.packing.place_instead(job, 8), gpus(8, 8));
  EXPECT_EQ(f.packing.place_instead(job, 16), std::nullopt);
}

TEST(Packing, a_job_of_nodes_keeps_them_if_the_switch_has_more) {
  Filled f({{.count = 6, .gpus = 4, .rack = 3}});
  const JobId job = f.put(16, 4);
  EXPECT_EQ(f.packing.place_instead(job, 8), (Placement{{GpuId{12}, 4}, {GpuId{16}, 4}}));
  f.put(12, 1);
  f.put(20, 1);  // it would be alone under its switch
  EXPECT_EQ(f.packing.place_instead(job, 8), (Placement{{GpuId{0}, 4}, {GpuId{4}, 4}}));
  EXPECT_EQ(gpu_count(*f.packing.place_instead(job, 16)), 16u);
  EXPECT_EQ(f.packing.place_instead(job, 20), std::nullopt);
}

TEST(Packing, makes_room_by_the_cheapest_moves) {
  Filled f({{.count = 2, .gpus = 4}});
  f.put(0, 2);
  const JobId cheap = f.put(4, 2);
  const auto cost = [&](JobId job) { return job == cheap ? 1.0 : 2.0; };
  const auto moves = f.packing.make_room(4, cost);
  ASSERT_TRUE(moves.has_value());
  ASSERT_EQ(moves->size(), 1u);
  EXPECT_EQ(moves->front().job, cheap);
  EXPECT_EQ(moves->front().to, gpus(2, 2));
  EXPECT_EQ(f.packing.make_room(2, cost)->size(), 0u);
  EXPECT_EQ(f.packing.make_room(5, cost), std::nullopt);
}

TEST(Packing, makes_room_in_steps_if_need_be) {
  Filled f({{.count = 2, .gpus = 4}});
  f.put(0, 2);  // must leave node 0 for node 1, where a single must make way
  f.put(4, 1);
  f.put(6, 1);
  const auto stays = [](JobId job) { return job == JobId{0} ? 0.5 : 1.0; };
  const auto moves = f.packing.make_room(4, stays);
  ASSERT_TRUE(moves.has_value());
  EXPECT_EQ(moves->size(), 2u);
  f.apply(*moves);
  EXPECT_TRUE(f.packing.place(4).has_value());
}

TEST(Packing, leaves_a_job_that_must_stay) {
  Filled f({{.count = 2, .gpus = 2}});
  f.put(0, 1);
  f.put(2, 1);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  EXPECT_EQ(f.packing.make_room(2, [](JobId) { return kNever; }), std::nullopt);
  const auto moves =
      f.packing.make_room(2, [](JobId job) { return job == JobId{0} ? kNever : 1.0; });
  ASSERT_TRUE(moves.has_value());
  EXPECT_EQ(moves->front().job, JobId{1});
}

TEST(Packing, makes_whole_nodes_by_moving_small_jobs_only) {
  Filled f({{.count = 4, .gpus = 4}});
  f.put(0, 4);
  f.put(4, 2);
  f.put(8, 2);
  const auto moves = f.packing.make_room(8, one_each);
  ASSERT_TRUE(moves.has_value());
  ASSERT_EQ(moves->size(), 1u);
  f.apply(*moves);
  EXPECT_EQ(f.packing.place(8)->size(), 2u);
}

TEST(Packing, empties_nodes_that_are_worth_the_moves) {
  Filled f({{.count = 3, .gpus = 4}});
  f.put(0, 1);
  f.put(4, 2);
  const auto worth = [](NodeId) { return 1.5; };
  const auto moves = f.packing.empty_nodes(one_each, worth);
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].job, JobId{0});
  EXPECT_EQ(moves[0].to, gpus(6, 1));
  EXPECT_TRUE(f.packing.empty_nodes(one_each, [](NodeId) { return 1.0; }).empty());
}

TEST(Packing, fills_no_idle_node_to_empty_another) {
  Filled f({{.count = 3, .gpus = 4}});
  f.put(0, 2);
  f.put(4, 3);
  EXPECT_TRUE(f.packing.empty_nodes(one_each, [](NodeId) { return 100.0; }).empty());
}

}  // namespace
}  // namespace penstock
