#include "io/plan/answer.h"

#include <gtest/gtest.h>

#include "io/plan/request_text.h"

namespace penstock {
namespace {

Result<std::string> parse_and_answer(std::string_view text, MakePlan& make_plan) {
  const auto request = parse_plan_request(text, "r.json");
  if (!request) return request.error();
  return answer_plan(*request, make_plan);
}

/// J1 goes on with two GPUs in place of one, J2 waits.
JointResult widen_the_first(const JointProblem& /*problem*/, const JointSettings& /*settings*/) {
  return {.jobs = {Assignment{.node = 0, .option = 1}, std::nullopt},
          .cost = {.energy = 1.5, .tardiness = 0.25, .waiting = 4},
          .first_finish = 2600,
          .evaluated = 9,
          .at_least = 4.6};
}

JointResult run_nothing(const JointProblem& problem, const JointSettings& /*settings*/) {
  return {.jobs = Assignments(problem.jobs.size())};
}

TEST(PlanAnswer, has_cost_next_finish_and_who_runs_where) {
  const auto answer = parse_and_answer(kGoodRequest, widen_the_first);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, R"({
  "estimated_cost": 1.75,
  "estimated_rescheduling_time": 2700,
  "jobs": {
    "J1": {"node": "n1", "nGPUs": 2, "expected_tardiness": 0}
  },
  "waiting": {
    "J2": {"expected_tardiness": 0}
  }
}
)");
}

TEST(PlanAnswer, counts_restarts_and_waiting_as_late) {
  const auto answer = parse_and_answer(
      changed({{"\"currentTime\": 100", "\"currentTime\": 8800, \"restart\": 1800"}}),
      widen_the_first);
  ASSERT_TRUE(answer);  // J1: 8800 + 2000 + 1800 − 9000 s; J2: 8800 + 2600 + 2000 − 5000 s
  EXPECT_NE(answer->find(R"("nGPUs": 2, "expected_tardiness": 1)"), std::string::npos) << *answer;
  EXPECT_NE(answer->find(R"("J2": {"expected_tardiness": 2.3333333333333335)"), std::string::npos)
      << *answer;
}

TEST(PlanAnswer, explains_itself_when_verbose) {
  const auto answer = parse_and_answer(
      changed({{"\"currentTime\": 100", "\"currentTime\": 100, \"verbose\": true"}}),
      widen_the_first);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->find(R"(  "details": {
    "method": "RG",
    "seed": 4010,
    "energy_cost": 1.5,
    "tardiness_cost": 0.25,
    "waiting_penalty": 4,
    "objective": 5.75,
    "evaluated": 9,
    "seconds": )"),
            std::string::npos)
      << *answer;
  EXPECT_NE(answer->find("\"at_least\": 4.6,\n    \"gap\": 0.2"), std::string::npos) << *answer;
}

JointResult give_up(const JointProblem& problem, const JointSettings& /*settings*/) {
  return {.jobs = Assignments(problem.jobs.size()), .cut_short = true};
}

TEST(PlanAnswer, admits_that_time_was_up) {
  const auto answer = parse_and_answer(kGoodRequest, give_up);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->ends_with("  },\n  \"cut_short\": true\n}\n")) << *answer;
}

TEST(PlanAnswer, has_no_next_finish_if_nothing_runs) {
  const auto answer = parse_and_answer(
      R"({"jobs": {}, "nodes": {}, "GPUcosts": {}, "currentTime": 0})", run_nothing);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer,
            "{\n  \"estimated_cost\": 0,\n  \"estimated_rescheduling_time\": null,\n"
            "  \"jobs\": {},\n  \"waiting\": {}\n}\n");
}

TEST(PlanAnswer, escapes_names) {
  const auto answer = parse_and_answer(changed({{"\"J2\"", R"("J\"2\n")"}}), widen_the_first);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->find(R"(    "J\"2\n": {)"), std::string::npos) << *answer;
}

}  // namespace
}  // namespace penstock
