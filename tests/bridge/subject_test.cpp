#include "bridge/subject.h"

#include <gtest/gtest.h>

#include <string>

namespace penstock::bridge {
namespace {

std::optional<Subject> subject_of_line(const std::string& members) {
  return subject_of(parse_request(R"({"id":1,)" + members + "}"));
}

TEST(Subject, is_the_job_that_a_request_is_about) {
  for (const std::string what :
       {R"("do":"hold")", R"("do":"release")", R"("do":"update","comment":"x")",
        R"("do":"requeue")", R"("do":"signal")", R"("do":"cancel")", R"("do":"jobs")"}) {
    const auto job = subject_of_line(what + R"(,"job":12)");
    ASSERT_TRUE(job) << what;
    EXPECT_EQ(job->job, 12U);
    EXPECT_FALSE(job->task);
    const auto task = subject_of_line(what + R"(,"job":"12_3")");
    ASSERT_TRUE(task) << what;
    EXPECT_EQ(task->job, 12U);
    EXPECT_EQ(task->task, 3U);
  }
}

TEST(Subject, there_is_none_where_a_request_is_about_more_or_is_none) {
  for (const std::string what :
       {R"("do":"hello")", R"("do":"jobs")", R"("do":"jobs","news":true)", R"("do":"nodes")",
        R"("do":"partitions")", R"("do":"resume","nodes":["n1"])",
        R"("do":"submit","script":"#!/bin/sh","work_dir":"/")", R"("do":"hold")", R"("do":"sing")"})
    EXPECT_FALSE(subject_of_line(what)) << what;
}

TEST(Subject, there_is_none_where_libslurm_may_turn_to_another_cluster) {
  EXPECT_TRUE(subject_of_line(R"("do":"hold","job":67108863)"));
  EXPECT_FALSE(subject_of_line(R"("do":"hold","job":67108864)"));
  EXPECT_FALSE(subject_of_line(R"("do":"hold","job":"67108865_1")"));
}

TEST(Subject, touches_itself_its_array_and_whatever_is_about_more) {
  const Subject job{.job = 12};
  const Subject task{.job = 12, .task = 3};
  EXPECT_TRUE(touch(job, job));
  EXPECT_TRUE(touch(task, task));
  EXPECT_TRUE(touch(job, task));
  EXPECT_TRUE(touch(task, job));
  EXPECT_TRUE(touch(std::nullopt, task));
  EXPECT_TRUE(touch(job, std::nullopt));
  EXPECT_TRUE(touch(std::nullopt, std::nullopt));
  EXPECT_FALSE(touch(task, Subject{.job = 12, .task = 4}));
  EXPECT_FALSE(touch(job, Subject{.job = 13}));
}

}  // namespace
}  // namespace penstock::bridge
