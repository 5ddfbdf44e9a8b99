#include "joint/filling.h"

#include <gtest/gtest.h>

#include <tuple>

#include "joint/random_problem.h"

namespace penstock {
namespace {

/// The promises of Filling, kept by looking at every node.
class Counted {
 public:
  explicit Counted(const JointProblem& problem) : problem_(problem), used(problem.nodes.size()) {}

  std::uint32_t free(std::uint32_t node) const {
    return problem_.nodes[node].gpus * problem_.slices - used[node];
  }
  std::uint64_t free() const {
    std::uint64_t sum = 0;
    for (std::uint32_t n = 0; n < used.size(); ++n) sum += free(n);
    return sum;
  }

  /// Of each node with room: whether it is unused, and what is left over, or, if unused, its size
  /// turned round. Best first; nodes of the same rating are as good as each other.
  std::vector<std::pair<bool, std::int64_t>> ratings(std::uint32_t type,
                                                     std::uint32_t slices) const {
    std::vector<std::pair<bool, std::int64_t>> all;
    for (std::uint32_t n = 0; n < used.size(); ++n)
      if (problem_.nodes[n].type == type && free(n) >= slices) all.push_back(rating(n));
    std::ranges::sort(all);
    return all;
  }
  std::pair<bool, std::int64_t> rating(std::uint32_t node) const {
    const std::int64_t left = free(node);
    return used[node] == 0 ? std::pair(true, -left) : std::pair(false, left);
  }

 private:
  const JointProblem& problem_;

 public:
  std::vector<std::uint32_t> used;
};

void agree(const Filling& filling, const Counted& counted, const JointProblem& problem) {
  ASSERT_EQ(filling.free(), counted.free());
  for (std::uint32_t n = 0; n < problem.nodes.size(); ++n) {
    ASSERT_EQ(filling.used(n), counted.used[n]);
    ASSERT_EQ(filling.free(n), counted.free(n));
  }
  for (std::uint32_t type = 0; type < problem.types; ++type)
    for (std::uint32_t slices = 1; slices <= 9 * problem.slices; ++slices) {
      const auto all = counted.ratings(type, slices);
      ASSERT_EQ(filling.fits(type, slices, 100), all.size());
      ASSERT_EQ(filling.fits(type, slices, 2), std::min<std::size_t>(2, all.size()));
      ASSERT_EQ(filling.best_fit(type, slices).has_value(), !all.empty());
      for (std::uint32_t rank = 0; rank < all.size() + 2 && !all.empty(); ++rank) {
        const std::uint32_t node = *filling.best_fit(type, slices, rank);
        ASSERT_EQ(problem.nodes[node].type, type);
        ASSERT_EQ(counted.rating(node), all[std::min<std::size_t>(rank, all.size() - 1)]);
      }
    }
}

TEST(Filling, agrees_with_a_count_of_all_nodes_and_a_search_among_them) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed, {.nodes = 8});
    Rng rng = Rng(seed).stream("filling");
    Filling filling(problem);
    Counted counted(problem);
    for (int i = 0; i < 20; ++i) {
      const auto node = static_cast<std::uint32_t>(rng.below(problem.nodes.size()));
      const bool take = rng.uniform() < 0.6;
      const auto most = take ? filling.free(node) : filling.used(node);
      const auto slices = static_cast<std::uint32_t>(rng.below(most + 1));
      take ? filling.take(node, slices) : filling.give(node, slices);
      counted.used[node] += take ? slices : 0 - slices;
      agree(filling, counted, problem);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    filling.clear();
    agree(filling, Counted(problem), problem);
  }
}

TEST(Filling, ranks_every_node_with_room_once) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed, {.nodes = 8});
    const Filling filling(problem);
    for (std::uint32_t type = 0; type < problem.types; ++type) {
      std::vector<std::uint32_t> nodes;
      for (std::uint32_t rank = 0; rank < filling.fits(type, 1, 100); ++rank)
        nodes.push_back(*filling.best_fit(type, 1, rank));
      std::ranges::sort(nodes);
      ASSERT_EQ(std::ranges::adjacent_find(nodes), nodes.end()) << "seed " << seed;
    }
  }
}

TEST(Filling, prefers_nodes_in_use_then_least_left_over_then_the_largest_unused) {
  const auto node = [](std::uint32_t gpus) {
    return JointNode{.gpus = gpus, .cost = std::vector<double>(gpus + 1, 1)};
  };
  const JointProblem problem{.types = 1, .nodes = {node(2), node(8), node(4), node(4)}};
  Filling filling(problem);
  EXPECT_EQ(filling.best_fit(0, 1), 1u);  // the largest
  filling.take(2, 1);
  EXPECT_EQ(filling.best_fit(0, 1), 2u);  // in use
  filling.take(3, 2);
  EXPECT_EQ(filling.best_fit(0, 1), 3u);     // less left over
  EXPECT_EQ(filling.best_fit(0, 3), 2u);     // where there is room
  EXPECT_EQ(filling.best_fit(0, 1, 2), 1u);  // third best
  EXPECT_EQ(filling.best_fit(0, 1, 9), 0u);  // the last
  EXPECT_EQ(filling.best_fit(0, 9), std::nullopt);
}

}  // namespace
}  // namespace penstock
