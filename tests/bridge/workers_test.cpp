#include "bridge/workers.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <map>
#include <semaphore>
#include <string>

namespace penstock::bridge {
namespace {

using namespace std::chrono_literals;

Subject job(std::uint32_t number) {
  return {.job = number};
}

/// The next result, waited for.
std::string wait_for_next(Workers& workers) {
  while (true) {
    if (auto result = workers.next()) return *result;
    pollfd watched{workers.ready(), POLLIN, 0};
    if (poll(&watched, 1, 10'000) != 1) return "nothing within ten seconds";
  }
}

TEST(Workers, results_come_in_the_order_of_the_work_though_the_first_is_last_to_end) {
  Workers workers(2);
  std::binary_semaphore second_is_done(0);
  workers.add(job(1), [&] {
    second_is_done.acquire();
    return "first";
  });
  workers.add(job(2), [&] {
    second_is_done.release();
    return "second";
  });
  EXPECT_EQ(workers.size(), 2U);
  EXPECT_EQ(wait_for_next(workers), "first");
  EXPECT_EQ(wait_for_next(workers), "second");
  EXPECT_EQ(workers.size(), 0U);
  EXPECT_FALSE(workers.next());
}

TEST(Workers, all_work_at_once_on_what_does_not_touch) {
  Workers workers(4);
  std::latch all_have_begun(4);
  for (std::uint32_t task = 0; task < 4; ++task)
    workers.add(Subject{.job = 7, .task = task}, [&] {
      all_have_begun.arrive_and_wait();
      return "met";
    });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(wait_for_next(workers), "met");
}

TEST(Workers, what_touches_is_done_in_order) {
  Workers workers(8);
  std::map<std::uint32_t, std::vector<int>> seen;  // one entry a job: no two threads share one
  for (std::uint32_t number = 0; number < 5; ++number) seen[number];
  for (int i = 0; i < 500; ++i) {
    const auto number = static_cast<std::uint32_t>(i % 5);
    workers.add(job(number), [&seen, number, i] {
      seen.at(number).push_back(i);
      return std::to_string(i);
    });
  }
  for (int i = 0; i < 500; ++i) EXPECT_EQ(wait_for_next(workers), std::to_string(i));
  for (const auto& [number, pieces] : seen) {
    EXPECT_EQ(pieces.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(pieces));
  }
}

TEST(Workers, what_is_about_more_than_one_job_is_done_alone) {
  Workers workers(8);
  std::atomic<int> done = 0;
  std::atomic<int> in_work = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const bool alone = i % 20 == 10;
    workers.add(alone ? std::nullopt : std::optional(job(i)), [&, alone] {
      const int others = in_work++;
      const int before = done;
      if (alone) std::this_thread::sleep_for(1ms);
      --in_work;
      ++done;
      return alone ? std::to_string(others) + " beside, " + std::to_string(before) + " before" : "";
    });
  }
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(wait_for_next(workers),
              i % 20 == 10 ? "0 beside, " + std::to_string(i) + " before" : "");
}

TEST(Workers, an_end_waits_for_what_has_begun_and_leaves_the_rest) {
  std::atomic<int> done = 0;
  {
    Workers workers(1);
    std::latch has_begun(1);
    for (std::uint32_t i = 0; i < 3; ++i)
      workers.add(job(i), [&] {
        if (done == 0) has_begun.count_down();
        std::this_thread::sleep_for(100ms);
        ++done;
        return "";
      });
    has_begun.wait();
  }
  EXPECT_EQ(done, 1);
}

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
  EXPECT_TRUE(may_conflict(job, job));
  EXPECT_TRUE(may_conflict(task, task));
  EXPECT_TRUE(may_conflict(job, task));
  EXPECT_TRUE(may_conflict(task, job));
  EXPECT_TRUE(may_conflict(std::nullopt, task));
  EXPECT_TRUE(may_conflict(job, std::nullopt));
  EXPECT_TRUE(may_conflict(std::nullopt, std::nullopt));
  EXPECT_FALSE(may_conflict(task, Subject{.job = 12, .task = 4}));
  EXPECT_FALSE(may_conflict(job, Subject{.job = 13}));
}

}  // namespace
}  // namespace penstock::bridge
