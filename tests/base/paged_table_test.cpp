#include "base/paged_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace penstock {
namespace {

TEST(PagedTable, finds_what_was_inserted_and_nothing_else) {
  PagedTable<int> table;
  table.insert(3, 30);
  table.insert(1000, 10);
  EXPECT_EQ(table.at(3), 30);
  EXPECT_EQ(*table.find(1000), 10);
  EXPECT_EQ(table.find(4), nullptr);
  EXPECT_EQ(table.find(100'000), nullptr);
  EXPECT_EQ(table.size(), 2u);
}

TEST(PagedTable, forgets_what_is_erased) {
  PagedTable<std::shared_ptr<int>> table;
  const auto value = std::make_shared<int>(7);
  table.insert(5, value);
  table.erase(5);
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.size(), 0u);
}

TEST(PagedTable, keeps_references_while_others_come_and_go) {
  PagedTable<int> table;
  const int& kept = table.insert(0, 42);
  for (std::uint32_t i = 1; i < 5000; ++i) table.insert(i, 0);
  for (std::uint32_t i = 1; i < 5000; ++i) table.erase(i);
  EXPECT_EQ(&kept, table.find(0));
  EXPECT_EQ(kept, 42);
}

TEST(PagedTableDeathTest, refuses_an_index_twice_and_one_that_is_not_there) {
  PagedTable<int> table;
  table.insert(1, 1);
  EXPECT_DEATH(table.insert(1, 2), "check failed");
  EXPECT_DEATH(table.erase(2), "check failed");
  EXPECT_DEATH(table.at(3), "check failed");
}

}  // namespace
}  // namespace penstock
