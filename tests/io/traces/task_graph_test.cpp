#include "io/traces/task_graph.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(TaskGraph, puts_parents_first_and_otherwise_keeps_the_order) {
  const auto order = parents_first({{"a", {2}}, {"b", {}}, {"c", {}}});
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<std::size_t>{1, 2, 0}));
}

TEST(TaskGraph, names_the_tasks_that_wait_for_each_other) {
  const auto order = parents_first({{"outside", {1}}, {"a", {2}}, {"b", {1}}});
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().message, "'a' waits for itself: a after b after a");
}

TEST(TaskGraph, finds_a_task_that_waits_for_itself) {
  EXPECT_EQ(parents_first({{"a", {0}}}).error().message, "'a' waits for itself: a after a");
}

}  // namespace
}  // namespace penstock
