#include "policies/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policies/order/order_named.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Submitted 100 s after the start of the run, 4 GPUs for 1000 s.
JobState job() {
  return {.job = {.submitted = Time(100s),
                  .gpus = 4,
                  .requested = 1000s,
                  .priority = 3,
                  .work = Work(1e6)}};
}
double score(std::string_view name, const JobState& state) {
  return order_named(name).score(state, Time{});
}

TEST(Order, f1_to_f4_score_as_published) {
  EXPECT_DOUBLE_EQ(score("f1", job()), 3 * 4 + 870 * 2);
  EXPECT_DOUBLE_EQ(score("f2", job()), std::sqrt(1000.0) * 4 + 25600 * 2);
  EXPECT_DOUBLE_EQ(score("f3", job()), 1000 * 4 + 6.86e6 * 2);
  EXPECT_DOUBLE_EQ(score("f4", job()), 1000 * 2 + 5.3e5 * 2);
}

TEST(Order, f1_to_f4_are_finite_at_the_start_of_the_run) {
  JobState first = job();
  first.job.submitted = Time{};
  for (const char* name : {"f1", "f2", "f3", "f4"})
    EXPECT_TRUE(std::isfinite(score(name, first))) << name;
}

TEST(Order, wfp3_and_unicep_weigh_waits_as_published) {
  EXPECT_DOUBLE_EQ(order_named("wfp3").aged(2, 4), -32);   // -(w/r)^3 n
  EXPECT_DOUBLE_EQ(order_named("unicep").aged(2, 4), -1);  // -w / (log2(n) r)
  EXPECT_TRUE(std::isfinite(order_named("unicep").aged(2, 1)));
}

TEST(Order, shorter_smaller_and_more_urgent_jobs_score_less) {
  const JobState plain = job();
  JobState shorter = job();
  shorter.job.requested = 10s;
  shorter.job.work = Work(1e4);
  EXPECT_LT(score("sjf", shorter), score("sjf", plain));
  JobState smaller = job();
  smaller.job.gpus = 1;
  EXPECT_LT(score("smallest", smaller), score("smallest", plain));
  JobState urgent = job();
  urgent.job.priority = 4;
  EXPECT_LT(score("priority", urgent), score("priority", plain));
  JobState due = job();
  due.job.deadline = Time(500s);
  EXPECT_LT(score("edf", due), score("edf", plain));
}

TEST(Order, srtf_counts_only_what_is_left) {
  JobState begun = job();
  begun.done = Work(900'000);
  EXPECT_LT(score("srtf", begun), score("srtf", job()));
}

TEST(Order, las_doubles_the_service_of_each_level) {
  EXPECT_EQ(service_level(0, 100), 0);
  EXPECT_EQ(service_level(99, 100), 0);
  EXPECT_EQ(service_level(100, 100), 1);
  EXPECT_EQ(service_level(199, 100), 1);
  EXPECT_EQ(service_level(200, 100), 2);
  EXPECT_EQ(service_level(400, 100), 3);
}

TEST(Order, every_one_is_either_fixed_or_ageing) {
  for (const Order& each : all_orders())
    EXPECT_NE(each.score == nullptr, each.aged == nullptr) << each.name;
}

}  // namespace
}  // namespace penstock
