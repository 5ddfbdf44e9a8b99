#include "live/job/job_pool.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Pool, numbers_are_never_used_twice) {
  JobPool pool;
  EXPECT_EQ(pool.next(), 1);
  pool.add({.number = 4});
  EXPECT_EQ(pool.next(), 5);
  pool.remove(4);
  EXPECT_EQ(pool.next(), 5);
}

TEST(Pool, jobs_are_found_by_number_and_by_what_the_scheduler_calls_them) {
  JobPool pool;
  PooledJob& job = pool.add({.number = 2});
  EXPECT_EQ(pool.find(JobId{9}), nullptr);
  pool.set_id(job, JobId{9});
  EXPECT_EQ(pool.find(JobId{9}), &job);
  pool.clear_id(job);
  EXPECT_EQ(pool.find(JobId{9}), nullptr);
  EXPECT_EQ(pool.find(2), &job);
  pool.set_id(job, JobId{9});
  pool.remove(2);
  EXPECT_EQ(pool.find(JobId{9}), nullptr);
  pool.remove(2);
}

TEST(Pool, the_mark_in_a_comment_is_read_back) {
  EXPECT_EQ(pool_number("penstock: gpus=1-8" + pool_mark(17)), 17);
  EXPECT_EQ(pool_number(pool_mark(3) + pool_mark(4)), 4);
  for (const char* text : {"", "penstock-pool=3", "; penstock-pool=", "; penstock-pool=-1",
                           "; penstock-pool=3x", "; penstock-pool=99999999999999999999"})
    EXPECT_FALSE(pool_number(text)) << text;
}

}  // namespace
}  // namespace penstock
