#include "base/ordered_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/rng.h"

namespace penstock {
namespace {

/// The sum of the values and the least of them.
struct SumAndLeast {
  int sum = 0;
  int least = 1 << 20;
  static SumAndLeast of(int /*key*/, int value) { return {value, value}; }
  static SumAndLeast join(const SumAndLeast& a, const SumAndLeast& b) {
    return {a.sum + b.sum, std::min(a.least, b.least)};
  }
};
using Tree = OrderedTree<int, int, SumAndLeast>;

TEST(OrderedTree, of_nothing_is_empty) {
  const Tree tree;
  EXPECT_TRUE(tree.empty());
  EXPECT_EQ(tree.size(), 0u);
  EXPECT_EQ(tree.first(), nullptr);
  EXPECT_EQ(tree.last(), nullptr);
  EXPECT_EQ(tree.find(1), nullptr);
  EXPECT_EQ(tree.summary().sum, 0);
}

TEST(OrderedTree, finds_the_first_entry_whose_prefix_sum_is_large_enough) {
  Tree tree;
  for (const int key : {30, 10, 20}) tree.insert(key, key / 10);
  const auto reaches = [](int wanted) {
    return [wanted](const SumAndLeast& before, const SumAndLeast& run) {
      return before.sum + run.sum >= wanted;  // values are positive: the whole run is its most
    };
  };
  EXPECT_EQ(tree.first_that(nullptr, reaches(1))->key, 10);
  EXPECT_EQ(tree.first_that(nullptr, reaches(3))->key, 20);
  EXPECT_EQ(tree.first_that(nullptr, reaches(6))->key, 30);
  EXPECT_EQ(tree.first_that(nullptr, reaches(7)), nullptr);
}

/// The tree beside a std::map that answers the same questions slowly.
class TreeAndMap {
 public:
  explicit TreeAndMap(std::uint64_t seed) : rng_(seed) {}

  void change() {
    const int key = below(60);
    const int value = below(100);
    if (!map_.contains(key)) {
      tree_.insert(key, value);
      map_[key] = value;
    } else if (below(2) == 0) {
      tree_.erase(key);
      map_.erase(key);
    } else {
      tree_.assign(key, value);
      map_[key] = value;
    }
  }

  void compare() {
    ASSERT_EQ(tree_.size(), map_.size());
    const int key = below(60);
    expect_key(tree_.first(), map_.empty() ? map_.end() : map_.begin());
    expect_key(tree_.last(), map_.empty() ? map_.end() : std::prev(map_.end()));
    const auto from = map_.lower_bound(key);
    expect_key(tree_.before(key), from == map_.begin() ? map_.end() : std::prev(from));
    const auto found = map_.find(key);
    ASSERT_EQ(tree_.find(key) != nullptr, found != map_.end());
    int sum = 0;
    for (const auto& [k, v] : map_) sum += k <= key ? v : 0;
    EXPECT_EQ(tree_.up_to(key).sum, sum);
    compare_search(key, below(100));
  }

 private:
  int below(std::uint64_t n) { return static_cast<int>(rng_.below(n)); }

  void expect_key(const Tree::Entry* entry, std::map<int, int>::const_iterator wanted) const {
    ASSERT_EQ(entry != nullptr, wanted != map_.end());
    if (entry == nullptr) return;
    EXPECT_EQ(entry->key, wanted->first);
    EXPECT_EQ(entry->value, wanted->second);
  }

  void compare_search(int after, int most) const {
    const auto at_most = [&](const SumAndLeast&, const SumAndLeast& run) {
      return run.least <= most;
    };
    const auto passes = [&](const auto& entry) { return entry.second <= most; };
    expect_key(tree_.first_that(nullptr, at_most), std::ranges::find_if(map_, passes));
    expect_key(tree_.first_that(&after, at_most),
               std::find_if(map_.upper_bound(after), map_.end(), passes));
  }

  Rng rng_;
  Tree tree_;
  std::map<int, int> map_;
};

TEST(OrderedTree, answers_like_a_map_under_random_changes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TreeAndMap both(seed);
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
      both.change();
      both.compare();
    }
  }
}

TEST(OrderedTreeDeathTest, refuses_a_key_twice_and_a_key_that_is_not_there) {
  Tree tree;
  tree.insert(1, 1);
  EXPECT_DEATH(tree.insert(1, 2), "check failed");
  EXPECT_DEATH(tree.erase(2), "check failed");
}

}  // namespace
}  // namespace penstock
