#include "policy/place/idle_nodes.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace penstock {
namespace {

TEST(NodeSet, of_nothing_has_no_first) {
  EXPECT_EQ(NodeSet(0).first(), std::nullopt);
  EXPECT_EQ(NodeSet(100).first(5), std::nullopt);
}

TEST(NodeSet, answers_like_a_set) {
  Rng rng(1);
  NodeSet nodes(10'000);
  std::set<std::uint32_t> slow;
  for (int i = 0; i < 5000; ++i) {
    const auto member = static_cast<std::uint32_t>(rng.below(10'000));
    if (slow.insert(member).second) nodes.insert(member);
    const auto gone = slow.lower_bound(static_cast<std::uint32_t>(rng.below(10'000)));
    if (gone != slow.end() && rng.below(10) < 9) {
      nodes.erase(*gone);
      slow.erase(gone);
    }
    const auto from = static_cast<std::uint32_t>(rng.below(10'500));
    const auto found = slow.lower_bound(from);
    ASSERT_EQ(nodes.first(from), found == slow.end() ? std::nullopt : std::optional(*found));
    ASSERT_EQ(nodes.contains(member), slow.contains(member));
  }
}

}  // namespace

}  // namespace penstock
