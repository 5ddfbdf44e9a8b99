#include "serve/said_once.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(SaidOnce, the_same_is_not_said_again) {
  SaidOnce said;
  EXPECT_TRUE(said.is_new(JobId{1}, "no"));
  EXPECT_FALSE(said.is_new(JobId{1}, "no"));
  EXPECT_TRUE(said.is_new(JobId{2}, "no"));
  EXPECT_TRUE(said.is_new(JobId{1}, "not yet"));
}

TEST(SaidOnce, jobs_that_were_withdrawn_before_any_start_were_kept_for_ever) {
  SaidOnce said;
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(said.is_new(JobId{i}, "no"));
  Batch batch;
  for (std::uint32_t i = 0; i < 9; ++i) batch.events.emplace_back(JobWithdrawn{JobId{i}});
  said.hear(batch);
  EXPECT_EQ(said.jobs(), 1u);
  said.forget(JobId{9});
  EXPECT_EQ(said.jobs(), 0u);
}

}  // namespace
}  // namespace penstock
