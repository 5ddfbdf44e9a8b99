#include "bridge/reported_jobs.h"

#include <gtest/gtest.h>

namespace penstock::bridge {
namespace {

TEST(ReportedJobs, a_record_is_news_once_and_again_when_it_changes) {
  ReportedJobs told;
  EXPECT_TRUE(told.is_empty());
  EXPECT_TRUE(told.is_news(7, "pending"));
  EXPECT_FALSE(told.is_news(7, "pending"));
  EXPECT_TRUE(told.is_news(7, "running"));
  EXPECT_TRUE(told.is_news(7, "pending")) << "what was told last counts";
  EXPECT_TRUE(told.is_news(8, "pending")) << "of another job";
  EXPECT_FALSE(told.is_empty());
}

TEST(ReportedJobs, who_does_not_pass_by_in_a_poll_is_named_once) {
  ReportedJobs told;
  told.begin_poll();
  for (const std::uint32_t job : {3U, 1U, 2U}) told.is_news(job, "pending");
  EXPECT_EQ(told.end_poll(), std::vector<std::uint32_t>{});
  told.begin_poll();
  told.is_news(2, "pending");
  EXPECT_EQ(told.end_poll(), (std::vector<std::uint32_t>{1, 3}));
  told.begin_poll();
  told.is_news(2, "pending");
  EXPECT_EQ(told.end_poll(), std::vector<std::uint32_t>{});
  EXPECT_TRUE(told.is_news(3, "pending")) << "it is back";
}

TEST(ReportedJobs, what_was_told_apart_is_told_again_in_the_next_poll_once) {
  ReportedJobs told;
  told.begin_poll();
  told.is_news(1, "pending");
  told.end_poll();
  told.tell_again(1);
  told.begin_poll();
  EXPECT_TRUE(told.is_news(1, "pending")) << "it may have been told otherwise in between";
  told.end_poll();
  told.begin_poll();
  EXPECT_FALSE(told.is_news(1, "pending"));
}

TEST(ReportedJobs, what_was_only_told_apart_is_named_when_it_is_gone) {
  ReportedJobs told;
  told.begin_poll();
  told.end_poll();
  told.tell_again(4);
  told.begin_poll();
  EXPECT_EQ(told.end_poll(), std::vector<std::uint32_t>{4});
}

}  // namespace
}  // namespace penstock::bridge
