#include "agent/plan.h"

#include <gtest/gtest.h>

namespace penstock::agent {
namespace {

std::string plan_error(std::string_view json) {
  const auto plan = parse_plan(json);
  return plan ? "fine" : plan.error().message;
}

GpuTraits a100() {
  GpuTraits traits{.name = "a100", .least_limit = Watts(100), .most_limit = Watts(400)};
  for (unsigned mhz = 510; mhz <= 1410; mhz += 15) traits.clocks.push_back(mhz);
  return traits;
}

TEST(AgentPlan, is_read_as_the_daemon_writes_it) {
  const auto plan = parse_plan(
      R"({"valid_s":30,"gpus":[{"index":0,"clock_mhz":1200,"job":12},{"index":3,"limit_w":250,"job":"12_3"}]})");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->valid, std::chrono::seconds(30));
  ASSERT_EQ(plan->gpus.size(), 2U);
  EXPECT_EQ(plan->gpus[0], (PlannedGpu{.index = 0, .clock_mhz = 1200, .job = "12"}));
  EXPECT_EQ(plan->gpus[1], (PlannedGpu{.index = 3, .limit = Watts(250), .job = "12_3"}));
}

TEST(AgentPlan, may_leave_a_clock_open) {
  const auto plan = parse_plan(R"({"valid_s":1,"gpus":[{"index":1,"clock_mhz":null,"job":null}]})");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->gpus[0], PlannedGpu{.index = 1});
  EXPECT_EQ(parse_plan(R"({"valid_s":1,"gpus":[{"index":1,"clock_mhz":0}]})")->gpus[0],
            PlannedGpu{.index = 1});
}

TEST(AgentPlan, that_is_none_is_refused_with_every_reason) {
  EXPECT_EQ(plan_error("oops"), "plan: is not JSON");
  EXPECT_EQ(plan_error("[1]"), "plan: must be an object");
  EXPECT_EQ(plan_error("{}"),
            "plan: valid_s: is missing; gpus: must be a list of up to 1024 objects");
  EXPECT_EQ(plan_error(R"({"valid_s":0,"gpus":[]})"),
            "plan: valid_s: must be a whole number from 1 to 86400");
  EXPECT_EQ(plan_error(R"({"valid_s":1,"gpus":[7,{"clock_mhz":1},{"index":-1}]})"),
            "plan: gpus[0]: must be an object; gpus[1].index: is missing; gpus[1].index: GPU 0 is "
            "named twice; gpus[2].index: must be a whole number from 0 to 1023; gpus[2].index: GPU "
            "0 is named twice");
  EXPECT_EQ(plan_error(R"({"valid_s":1,"gpus":[{"index":18446744073709551615,"clock_mhz":1e3}]})"),
            "plan: gpus[0].index: must be a whole number from 0 to 1023; gpus[0].clock_mhz: must "
            "be a whole number from 0 to 20000");
  EXPECT_EQ(plan_error(R"({"valid_s":1,"gpus":[{"index":0,"mhz":5,"job":[]}]})"),
            "plan: gpus[0]: there is no member 'mhz'; there are: index clock_mhz limit_w job; "
            "gpus[0].job: must be a number, or text of up to 64 bytes");
  EXPECT_EQ(plan_error(std::string(kLongestPlan + 1, ' ')), "plan: is longer than 1048576 bytes");
}

TEST(AgentPlan, gives_the_highest_clock_that_is_not_above_the_asked) {
  EXPECT_EQ(fit_clock(a100(), 1200).value, 1200U);
  EXPECT_EQ(fit_clock(a100(), 1214).value, 1200U);
  EXPECT_TRUE(fit_clock(a100(), 1214).problem.empty());
}

TEST(AgentPlan, keeps_clocks_within_what_the_gpu_has) {
  EXPECT_EQ(fit_clock(a100(), 9000).value, 1410U);
  EXPECT_EQ(fit_clock(a100(), 9000).problem, "9000 MHz were asked for; 1410 is the most there is");
  EXPECT_EQ(fit_clock(a100(), 1).value, 510U);
  EXPECT_EQ(fit_clock(a100(), 1).problem, "1 MHz were asked for; 510 is the least there is");
}

TEST(AgentPlan, believes_a_clock_where_the_library_tells_none) {
  EXPECT_EQ(fit_clock({}, 1200).value, 1200U);
}

TEST(AgentPlan, limits_power_as_asked_or_in_the_proportion_of_the_clock) {
  EXPECT_EQ(fit_limit(a100(), {.limit = Watts(250)})->value, Watts(250));
  EXPECT_EQ(fit_limit(a100(), {.clock_mhz = 705})->value, Watts(200));
  EXPECT_EQ(fit_limit(a100(), {.limit = Watts(20)})->value, Watts(100));
  EXPECT_EQ(fit_limit(a100(), {.limit = Watts(20)})->problem,
            "20 W were asked for; 100 to 400 can be set");
  EXPECT_FALSE(fit_limit({}, {.limit = Watts(20)}));
}

}  // namespace
}  // namespace penstock::agent
