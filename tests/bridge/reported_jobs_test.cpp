#include "bridge/reported_jobs.h"

#include <gtest/gtest.h>

namespace penstock::bridge {
namespace {

TEST(ReportedJobs, a_record_is_news_once_and_again_when_it_changes) {
  ReportedJobs reported;
  EXPECT_TRUE(reported.is_empty());
  EXPECT_TRUE(reported.is_changed(7, "pending"));
  EXPECT_FALSE(reported.is_changed(7, "pending"));
  EXPECT_TRUE(reported.is_changed(7, "running"));
  EXPECT_TRUE(reported.is_changed(7, "pending")) << "what was told last counts";
  EXPECT_TRUE(reported.is_changed(8, "pending")) << "of another job";
  EXPECT_FALSE(reported.is_empty());
}

TEST(ReportedJobs, who_does_not_pass_by_in_a_poll_is_named_once) {
  ReportedJobs reported;
  reported.begin_poll();
  for (const std::uint32_t job : {3U, 1U, 2U}) reported.is_changed(job, "pending");
  EXPECT_EQ(reported.end_poll(), std::vector<std::uint32_t>{});
  reported.begin_poll();
  reported.is_changed(2, "pending");
  EXPECT_EQ(reported.end_poll(), (std::vector<std::uint32_t>{1, 3}));
  reported.begin_poll();
  reported.is_changed(2, "pending");
  EXPECT_EQ(reported.end_poll(), std::vector<std::uint32_t>{});
  EXPECT_TRUE(reported.is_changed(3, "pending")) << "it is back";
}

TEST(ReportedJobs, what_was_told_apart_is_told_again_in_the_next_poll_once) {
  ReportedJobs reported;
  reported.begin_poll();
  reported.is_changed(1, "pending");
  reported.end_poll();
  reported.report_again(1);
  reported.begin_poll();
  EXPECT_TRUE(reported.is_changed(1, "pending")) << "it may have been told otherwise in between";
  reported.end_poll();
  reported.begin_poll();
  EXPECT_FALSE(reported.is_changed(1, "pending"));
}

TEST(ReportedJobs, what_was_only_told_apart_is_named_when_it_is_gone) {
  ReportedJobs reported;
  reported.begin_poll();
  reported.end_poll();
  reported.report_again(4);
  reported.begin_poll();
  EXPECT_EQ(reported.end_poll(), std::vector<std::uint32_t>{4});
}

}  // namespace
}  // namespace penstock::bridge
