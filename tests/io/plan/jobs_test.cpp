// Jobs of which it is not known how many epochs they need.
#include <gtest/gtest.h>

#include "io/plan/request.h"
#include "io/plan/request_text.h"

namespace penstock {
namespace {

/// J1 needs 2 epochs or all 10; an epoch takes 360 s on one M60, 200 s on two.
Result<PlanRequest> uncertain(std::string_view distribution, std::string_view deadline = "9000") {
  const std::string epochs = "\"Epochs\": 10, \"EpochsDistribution\": " + std::string(distribution);
  const std::string until = "\"Deadline\": " + std::string(deadline);
  return parse_plan_request(changed({{"\"Epochs\": 10", epochs}, {"\"Deadline\": 9000", until}}),
                            "r.json");
}

std::string uncertain_error(std::string_view distribution) {
  const auto request = uncertain(distribution);
  return request ? "no error" : request.error().message;
}

constexpr std::string_view kTwoOrTen = "[[10, 0.25], [2, 0.75]]";

TEST(UncertainEpochs, leave_the_best_way_with_what_is_expected_and_what_is_worst) {
  const auto request = uncertain(kTwoOrTen);
  ASSERT_TRUE(request) << request.error().message;
  const JointJob& job = request->problem.jobs[0];
  ASSERT_EQ(job.options.size(), 1U);  // one GPU is cheaper, and in time
  EXPECT_EQ(job.options[0].slices, 1U);
  EXPECT_NEAR(job.options[0].seconds, 360 * (0.75 * 2 + 0.25 * 10), 1e-6);
  EXPECT_NEAR(job.options[0].worst, 3600, 1e-6);
  EXPECT_EQ(job.running->option, 0U);
  EXPECT_EQ(request->problem.jobs[1].options[0].seconds, 2000) << "the other job is as it was";
}

TEST(UncertainEpochs, begin_slowly_where_the_rest_can_be_quick) {
  // 2 600 s are left: 10 epochs take 3 600 s on one GPU, 2 000 s on two.
  const auto request = uncertain(kTwoOrTen, "2700");
  ASSERT_TRUE(request) << request.error().message;
  const JointJob& job = request->problem.jobs[0];
  ASSERT_EQ(job.options.size(), 1U);
  EXPECT_EQ(job.options[0].slices, 1U);
  EXPECT_NEAR(job.options[0].worst, 2600, 1e-6);
  EXPECT_NEAR(job.options[0].seconds, 2 * 360 + 0.25 * (2600 - 2 * 360), 1e-6);
}

TEST(UncertainEpochs, keep_the_way_in_which_a_job_is_running) {
  const auto request = uncertain(kTwoOrTen, "1000");  // too late for one GPU or two
  ASSERT_TRUE(request) << request.error().message;
  const JointJob& job = request->problem.jobs[0];
  ASSERT_EQ(job.options.size(), 2U);
  EXPECT_EQ(job.running->option, 0U);
  EXPECT_EQ(job.options[0].slices, 1U);
  EXPECT_NEAR(job.options[0].worst, 3600, 1e-6);
  EXPECT_EQ(job.options[1].slices, 2U);
  EXPECT_NEAR(job.options[1].worst, 2000, 1e-6);
}

TEST(UncertainEpochs, are_refused_if_they_are_no_distribution) {
  const std::string path = "r.json: jobs.J1.EpochsDistribution: ";
  EXPECT_EQ(uncertain_error("7"), path + "must be a list of [epochs, probability]");
  EXPECT_EQ(uncertain_error("[]"), path + "must be a list of [epochs, probability]");
  EXPECT_EQ(uncertain_error("[[2, 0.5], [3]]"),
            path + "entry 2: must be [epochs, probability], two numbers");
  EXPECT_EQ(uncertain_error("[[11, 1]]"),
            path + "entry 1: 11 epochs are not above 0 and at most Epochs, 10");
  EXPECT_EQ(uncertain_error("[[2, 1.5]]"), path + "entry 1: 1.5 is not a probability from 0 to 1");
  EXPECT_EQ(uncertain_error("[[2, 0.5], [4, 0.25]]"),
            path + "probabilities add up to 0.75, not to 1");
}

/// J1 with these clocks; it may take 8900 s, and an M60 of a node of four costs 1 an hour.
Result<PlanRequest> clocked(std::string_view clocks) {
  return parse_plan_request(
      changed({{"\"Epochs\": 10", "\"Epochs\": 10, \"Clocks\": " + std::string(clocks)}}),
      "r.json");
}

TEST(PlanClocks, are_the_cheapest_in_time) {
  const auto request = clocked(R"({"M60": {"1000": {"slowdown": 1.2, "cost": -0.4},
                                           "800": {"slowdown": 2.5, "cost": -0.6}},
                                   "K80": {"500": {"slowdown": 1, "cost": 0}}})");
  ASSERT_TRUE(request) << request.error().message;
  const JointOption& one = request->problem.jobs[0].options[0];
  EXPECT_EQ(one.clock_mhz, 1000U) << "0.6 · 4320 s; at 800 MHz 0.4 · 9000 s, and late";
  EXPECT_NEAR(one.seconds, 4320, 1e-9);
  EXPECT_NEAR(one.own_rate, -0.4, 1e-12);
  const JointOption& two = request->problem.jobs[0].options[1];
  EXPECT_EQ(two.clock_mhz, 1000U) << "1.2 · 2400 s; 0.8 · 5000 s at 800 MHz";
  EXPECT_EQ(request->problem.jobs[1].options[0].clock_mhz, 0U) << "J2 has none";
}

TEST(PlanClocks, are_not_lowered_where_gpus_are_scarce) {
  const std::string request = changed(
      {{"\"Epochs\": 10",
        "\"Epochs\": 10, \"Clocks\": {\"M60\": {\"1000\": {\"slowdown\": 1, \"cost\": -0.4}}}"},
       {"\"free_nGPUs\": 3, \"total_nGPUs\": 4", "\"free_nGPUs\": 0, \"total_nGPUs\": 1"},
       {"\"free_nGPUs\": 2, \"total_nGPUs\": 2", "\"free_nGPUs\": 1, \"total_nGPUs\": 1"}});
  const auto parsed = parse_plan_request(request, "r.json");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->problem.jobs[0].options[0].clock_mhz, 0U) << "two jobs for two GPUs";
}

TEST(PlanClocks, are_refused_if_they_are_none) {
  const auto error = [](std::string_view clocks) { return clocked(clocks).error().message; };
  EXPECT_EQ(
      error(R"({"M60": {"fast": {"slowdown": 1, "cost": 0}}})"),
      "r.json: jobs.J1.Clocks.M60.fast: is not a clock in MHz, a whole number from 1 to 10000");
  EXPECT_EQ(
      error(R"({"M60": {"900": {"slowdown": 0, "cost": -2}}})"),
      "r.json: jobs.J1.Clocks.M60.900.slowdown: must be above 0 and at most 1000; it is 0\n"
      "r.json: jobs.J1.Clocks.M60.900.cost: must be at least -1 and at most 1000000000; it is -2");
}

}  // namespace
}  // namespace penstock
