#include "live/job/comment.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(Comment, of_somebody_else_says_nothing) {
  for (const char* text : {"", "nightly build", "penstock", "PENSTOCK: gpus=4"}) {
    const ReadComment read = read_comment(text);
    EXPECT_FALSE(read.is_for_us) << text;
    EXPECT_EQ(read.user_options, UserOptions{});
    EXPECT_TRUE(read.problems.empty());
  }
}

TEST(Comment, says_how_a_job_scales_and_when_it_is_due) {
  const ReadComment read =
      read_comment("penstock: profile=resnet50 gpus=1-8 deadline=6h priority=3");
  EXPECT_TRUE(read.is_for_us);
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.user_options.profile, "resnet50");
  EXPECT_EQ(read.user_options.gpus, (UserOptions::Bounds{1, 8}));
  EXPECT_EQ(read.user_options.deadline_after, Duration(6h));
  EXPECT_EQ(read.user_options.priority, 3);
}

TEST(Comment, may_stand_among_others) {
  const ReadComment read = read_comment(
      "project=vision; penstock:checkpoint=yes,grace=90s\thome=paris files=1.5TB; gpus=77");
  EXPECT_TRUE(read.problems.empty());
  EXPECT_TRUE(read.user_options.checkpoint);
  EXPECT_EQ(read.user_options.grace, Duration(90s));
  EXPECT_EQ(read.user_options.home, "paris");
  EXPECT_EQ(read.user_options.files_gb, 1500);
  EXPECT_FALSE(read.user_options.gpus);  // behind the semicolon
}

TEST(Comment, may_name_a_moment) {
  const ReadComment read =
      read_comment("penstock: deadline=2026-11-17T08:00Z work=1.2e6 batch=256");
  EXPECT_EQ(read.user_options.deadline, parse_time("2026-11-17T08:00Z"));
  EXPECT_EQ(read.user_options.work, 1.2e6);
  EXPECT_EQ(read.user_options.batch, 256);
}

TEST(Comment, that_cannot_be_read_is_passed_over_word_by_word) {
  const ReadComment read = read_comment(
      "penstock: gpus=8-1 priority=9 turbo deadline=soon work=-1 batch=nan grace=2h files=3 "
      "checkpoint=maybe colour=red gpus=2");
  EXPECT_EQ(read.problems.size(), 10u);
  EXPECT_EQ(read.problems.front(),
            "gpus='8-1' is not possible; possible: a number or bounds, such as gpus=1-8");
  EXPECT_NE(read.problems[2].find("'turbo' is not known; possible are: profile="),
            std::string::npos);
  UserOptions expected;
  expected.gpus = UserOptions::Bounds{2, 2};
  EXPECT_EQ(read.user_options, expected);
}

TEST(Comment, of_any_length_makes_short_complaints) {
  const ReadComment read = read_comment("penstock: " + std::string(100'000, 'x'));
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_LT(read.problems.front().size(), 300u);
}

TEST(UserOptions, pins_who_cannot_be_stopped) {
  const auto pinned = [](std::string_view comment) {
    Job job;
    apply(read_comment(comment).user_options, job);
    return job.pinned;
  };
  EXPECT_TRUE(pinned(""));
  EXPECT_TRUE(pinned("penstock: gpus=4"));
  EXPECT_FALSE(pinned("penstock: gpus=1-4"));
  EXPECT_FALSE(pinned("penstock: checkpoint=yes"));
}

TEST(UserOptions, counts_a_deadline_from_submission) {
  Job job{.submitted = Time(1000s)};
  apply(read_comment("penstock: deadline=10min").user_options, job);
  EXPECT_EQ(job.deadline, Time(1600s));
}

}  // namespace
}  // namespace penstock
