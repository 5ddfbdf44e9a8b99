#include "live/bridge/cluster_claim.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace penstock {
namespace {

/// Of this test process alone: others may run beside it.
std::string cluster() {
  return "head:6817/test-" + std::to_string(getpid());
}

TEST(ClusterClaim, two_daemons_with_two_journals_governed_one_cluster_unnoticed) {
  ClusterClaim first(cluster());
  ClusterClaim second(cluster());
  EXPECT_FALSE(first.take());
  EXPECT_FALSE(first.take()) << "it keeps it";
  const auto rival = second.take();
  ASSERT_TRUE(rival);
  EXPECT_TRUE(rival->starts_with("process " + std::to_string(getpid()) + " (")) << *rival;
  EXPECT_FALSE(first.holder()) << "nobody else";
}

TEST(ClusterClaim, ends_with_its_owner) {
  ClusterClaim second(cluster());
  {
    ClusterClaim first(cluster());
    EXPECT_FALSE(first.take());
    EXPECT_TRUE(second.take());
  }
  EXPECT_FALSE(second.holder());
  EXPECT_FALSE(second.take());
}

TEST(ClusterClaim, one_who_only_asks_does_not_have_it) {
  ClusterClaim acting(cluster());
  const ClusterClaim shadow(cluster());
  EXPECT_FALSE(shadow.holder());
  EXPECT_FALSE(acting.take());
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(shadow.holder()) << "however often";
    EXPECT_FALSE(acting.take());
  }
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(shadow.holder()) << "also while nobody greets";
}

TEST(ClusterClaim, clusters_do_not_get_in_each_others_way) {
  ClusterClaim one(cluster() + "a");
  ClusterClaim other(cluster() + "b");
  ClusterClaim unknown("");
  ClusterClaim unknown_too("");
  EXPECT_FALSE(one.take());
  EXPECT_FALSE(other.take());
  EXPECT_FALSE(unknown.take());
  EXPECT_FALSE(unknown_too.take());
}

}  // namespace
}  // namespace penstock
