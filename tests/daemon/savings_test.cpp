#include "daemon/savings.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ComputeSavings, states_none_of_too_few_jobs) {
  const auto savings = compute_savings(
      {.journal = PENSTOCK_ROOT "/data/journal-sample.sqlite", .least_jobs = 1'000'000'000});
  ASSERT_TRUE(savings) << savings.error().message;
  ASSERT_FALSE(savings->notes.empty());
  EXPECT_TRUE(savings->notes.front().starts_with("no savings are stated: "));
}

TEST(ComputeSavings, needs_a_journal) {
  EXPECT_FALSE(compute_savings({.journal = "/nowhere/journal.db"}));
}

TEST(SavingsCache, answers_with_an_error_where_there_is_no_journal) {
  SavingsCache cache({.journal = "/nowhere/journal.db"});
  EXPECT_EQ(cache.answer().status, 503);
}

}  // namespace
}  // namespace penstock
