// One test for each way of being bad, with the whole message.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/plan/request.h"
#include "io/plan/request_text.h"

namespace penstock {
namespace {

std::string request_error(const std::string& text) {
  const auto request = parse_plan_request(text, "r.json");
  return request ? "fine" : request.error().message;
}

void expect_refused(RequestChanges changes, std::string_view message) {
  EXPECT_EQ(request_error(changed(changes)), "r.json: " + std::string(message));
}

constexpr std::string_view kTime = "\"1\": 360";
constexpr std::string_view kNow = "\"currentTime\": 100";

TEST(BadPlanRequest, is_no_json) {
  EXPECT_EQ(request_error("{\n\"jobs\": oops}"), "r.json:2:9: is not valid JSON from here on");
}

TEST(BadPlanRequest, is_no_object) {
  EXPECT_EQ(request_error("[]"),
            "r.json: must be an object with: jobs nodes GPUcosts currentScheduling currentTime "
            "method seed verbose restart timeLimit iterations threads GPUfractions");
}

TEST(BadPlanRequest, lacks_everything) {
  EXPECT_EQ(request_error("{}"),
            "r.json: currentTime: is missing\nr.json: GPUcosts: is missing\n"
            "r.json: nodes: is missing\nr.json: jobs: is missing");
}

TEST(BadPlanRequest, has_a_time_that_is_negative) {
  expect_refused({{kTime, "\"1\": -360"}},
                 "jobs.J1.ProfilingData.M60.1: must be above 0 and at most 1000000000; it is -360");
}

TEST(BadPlanRequest, has_a_time_of_zero) {
  expect_refused({{kTime, "\"1\": 0"}},
                 "jobs.J1.ProfilingData.M60.1: must be above 0 and at most 1000000000; it is 0");
}

TEST(BadPlanRequest, has_a_time_that_is_no_number) {
  expect_refused({{kTime, "\"1\": null"}}, "jobs.J1.ProfilingData.M60.1: must be a number");
  expect_refused({{kTime, "\"1\": \"217.7\""}},
                 "jobs.J1.ProfilingData.M60.1: '217.7' is a text; it must be a number");
}

TEST(BadPlanRequest, has_a_time_that_is_not_believable) {
  expect_refused({{kTime, "\"1\": 5e8"}, {"\"Epochs\": 10", "\"Epochs\": 100"}},
                 "jobs.J1.ProfilingData.M60.1: 500000000 s for each of 100 epochs are more than "
                 "10000000000 s in all");
}

TEST(BadPlanRequest, lacks_a_time) {
  expect_refused({{"\"Deadline\": 9000, ", ""}}, "jobs.J1.Deadline: is missing");
  expect_refused({{"\"SubmissionTime\": 0, ", ""}}, "jobs.J1.SubmissionTime: is missing");
}

TEST(BadPlanRequest, has_an_instant_that_is_negative) {
  expect_refused({{"\"SubmissionTime\": 0", "\"SubmissionTime\": -1"}},
                 "jobs.J1.SubmissionTime: must be at least 0 and at most 100000000000; it is -1");
}

TEST(BadPlanRequest, has_an_instant_that_is_none) {
  expect_refused({{kNow, "\"currentTime\": true"}}, "currentTime: must be seconds or a date");
}

TEST(BadPlanRequest, has_a_date_that_is_none) {
  expect_refused({{"\"Deadline\": 9000", "\"Deadline\": \"2020-02-30\""}},
                 "jobs.J1.Deadline: '2020-02-30' is not a date such as 2020-07-21T17:56:59Z or "
                 "'Tue 21 Jul 2020, 17.56.59'");
}

TEST(BadPlanRequest, mixes_seconds_and_dates) {
  expect_refused({{"\"Deadline\": 9000", "\"Deadline\": \"2020-02-28\""}},
                 "jobs.J1.Deadline: must be seconds, as currentTime is");
}

TEST(BadPlanRequest, has_a_deadline_before_submission) {
  expect_refused({{"\"Deadline\": 5000", "\"Deadline\": 49"}},
                 "jobs.J2.Deadline: is before SubmissionTime");
}

TEST(BadPlanRequest, has_a_priority_that_is_none) {
  expect_refused({{"\"Priority\": 5", "\"Priority\": 6"}},
                 "jobs.J2.Priority: must be at least 1 and at most 5; it is 6");
  expect_refused({{"\"Priority\": 5", "\"Priority\": 0"}},
                 "jobs.J2.Priority: must be at least 1 and at most 5; it is 0");
  expect_refused({{"\"Priority\": 5", "\"Priority\": 2.5"}},
                 "jobs.J2.Priority: 2.5 is not a whole number");
}

TEST(BadPlanRequest, has_no_epochs_left) {
  expect_refused({{"\"Epochs\": 20", "\"Epochs\": 0"}},
                 "jobs.J2.Epochs: must be above 0 and at most 1000000000; it is 0");
  expect_refused({{"\"Epochs\": 20", "\"Epochs\": \"-3\""}},
                 "jobs.J2.Epochs: must be above 0 and at most 1000000000; it is -3");
  expect_refused({{"\"Epochs\": 20", "\"Epochs\": \"many\""}},
                 "jobs.J2.Epochs: 'many' is not a finite number");
}

TEST(BadPlanRequest, profiles_no_count_of_gpus) {
  expect_refused({{kTime, "\"0\": 360"}},
                 "jobs.J1.ProfilingData.M60.0: is not a number of GPUs, from 1 to 10000");
}

TEST(BadPlanRequest, has_a_job_that_fits_no_node) {
  expect_refused({{R"({"M60": {"1": 100}})", R"({"K80": {"1": 5}, "M60": {"8": 9}})"}},
                 "jobs.J2.ProfilingData: fits no node; there are: M60 with up to 4 GPUs");
  expect_refused({{R"({"M60": {"1": 100}})", "{}"}},
                 "jobs.J2.ProfilingData: fits no node; there are: M60 with up to 4 GPUs");
}

TEST(BadPlanRequest, has_something_else_in_place_of_an_object) {
  expect_refused({{R"({"M60": {"1": 100}})", "7"}}, "jobs.J2.ProfilingData: must be an object");
  expect_refused({{R"("jobs": {)", R"("jobs": {"J0": [], )"}},
                 "jobs.J0: must be an object with: SubmissionTime Deadline Priority Epochs "
                 "ProfilingData Memory EpochsDistribution Clocks");
}

TEST(BadPlanRequest, has_a_key_that_is_not_known) {
  expect_refused({{kNow, "\"currentTime\": 100, \"metod\": \"RG\""}},
                 "metod: is not known; did you mean 'method'?");
  expect_refused({{"\"Priority\": 5", "\"Priority\": 5, \"priority\": 4"}},
                 "jobs.J2.priority: is not known; did you mean 'Priority'?");
  expect_refused({{"\"cost\": 0.5", "\"cost\": 0.5, \"costs\": 1, \"zzzzzzzzzz\": 1"}},
                 "nodes.n1.costs: is not known; did you mean 'cost'?\n"
                 "r.json: nodes.n1.zzzzzzzzzz: is not known; there are: GPUtype free_nGPUs "
                 "total_nGPUs cost");
}

TEST(BadPlanRequest, has_a_key_twice) {
  expect_refused({{"\"Priority\": 5", "\"Priority\": 5, \"Priority\": 4"}},
                 "jobs.J2.Priority: is there more than once");
}

TEST(BadPlanRequest, has_a_gpu_type_without_cost) {
  expect_refused({{R"("n2": {"GPUtype": "M60")", R"("n2": {"GPUtype": "M6O")"}},
                 "nodes.n2.GPUtype: 'M6O' has no costs in GPUcosts; there are: M60; did you mean "
                 "'M60'?");
}

TEST(BadPlanRequest, lacks_the_cost_of_some_used_gpus) {
  expect_refused({{"\"3\": 3, ", ""}},
                 "GPUcosts.M60: has no cost of 3 used GPUs; node 'n1' needs 1 to 4");
}

TEST(BadPlanRequest, has_costs_that_fall) {
  expect_refused({{"\"3\": 3", "\"3\": 1.5"}},
                 "GPUcosts.M60.3: is 1.5, less than the 2 of 2 used GPUs; more GPUs must not cost "
                 "less");
}

TEST(BadPlanRequest, has_costs_of_no_gpus) {
  expect_refused({{"\"1\": 1,", "\"1\": 1, \"one\": 1,"}},
                 "GPUcosts.M60.one: is not a number of used GPUs, from 1 to 10000");
}

TEST(BadPlanRequest, has_negative_costs) {
  expect_refused({{"\"cost\": 0.5", "\"cost\": -1"}},
                 "nodes.n1.cost: must be at least 0 and at most 1000000000; it is -1");
}

TEST(BadPlanRequest, has_more_free_gpus_than_gpus) {
  expect_refused(
      {{"\"free_nGPUs\": 3", "\"free_nGPUs\": 5"}, {"\"node\": \"n1\"", "\"node\": null"}},
      "nodes.n1.free_nGPUs: 5 are more than total_nGPUs, 4");
}

TEST(BadPlanRequest, has_more_free_and_held_gpus_than_gpus) {
  expect_refused({{"\"free_nGPUs\": 3", "\"free_nGPUs\": 4"}},
                 "nodes.n1.free_nGPUs: 4 free and 1 held by currentScheduling are more than "
                 "total_nGPUs, 4");
}

TEST(BadPlanRequest, has_a_job_running_on_an_unknown_node) {
  expect_refused({{"\"node\": \"n1\"", "\"node\": \"n9\""}},
                 "currentScheduling.J1.node: there is no node 'n9'; there are: n1 n2");
}

TEST(BadPlanRequest, has_a_job_running_on_another_type_than_the_nodes) {
  expect_refused({{"\"GPUtype\": \"M60\", \"nGPUs\"", "\"GPUtype\": \"K80\", \"nGPUs\""}},
                 "currentScheduling.J1.GPUtype: 'K80' is not what node 'n1' has: M60");
}

TEST(BadPlanRequest, has_a_job_running_on_more_gpus_than_its_node_has) {
  expect_refused({{"\"nGPUs\": 1", "\"nGPUs\": 8"}},
                 "currentScheduling.J1.nGPUs: 8 are more than the 4 of its node");
}

TEST(BadPlanRequest, has_a_job_running_on_so_many_gpus_as_were_never_profiled) {
  expect_refused({{"\"nGPUs\": 1", "\"nGPUs\": 3"}, {"\"free_nGPUs\": 3", "\"free_nGPUs\": 1"}},
                 "currentScheduling.J1.nGPUs: 3 have no time in the job's ProfilingData.M60; "
                 "there are: 1 2");
}

TEST(BadPlanRequest, has_a_job_running_on_part_of_a_gpu_that_nobody_shares) {
  expect_refused({{"\"nGPUs\": 1", "\"nGPUs\": 0.5"}},
                 "currentScheduling.J1.nGPUs: 0.5 is not a whole number");
}

TEST(BadPlanRequest, has_settings_that_are_none) {
  expect_refused(
      {{kNow, R"("currentTime": 100, "method": "EFD")"}},
      "method: there is no method 'EFD'; there are: RG G LS PR FIFO EDF PS ATC EXACT; did "
      "you mean 'EDF'?");
  expect_refused({{kNow, R"("currentTime": 100, "seed": 1.5)"}}, "seed: 1.5 is not a whole number");
  expect_refused({{kNow, R"("currentTime": 100, "verbose": "yes")"}},
                 "verbose: must be true or false, or a level from 0 on");
  expect_refused({{kNow, R"("currentTime": 100, "timeLimit": 0)"}},
                 "timeLimit: must be above 0 and at most 1000000000; it is 0");
  expect_refused({{kNow, R"("currentTime": 100, "method": 3)"}}, "method: must be a text");
}

TEST(BadPlanRequest, has_fractions_that_are_none) {
  expect_refused({{kNow, R"("currentTime": 100, "GPUfractions": {"M60": {"0.3": {}}})"}},
                 "GPUfractions.M60.0.3: is not a fraction that can be planned with; there are: "
                 "0.25 0.5");
  expect_refused(
      {{kNow,
        R"("currentTime": 100, "GPUfractions": {"M60": {"0.5": {"inflation": 0.9, "memory": 8}}})"}},
      "GPUfractions.M60.0.5.inflation: must be at least 1 and at most 1000; it is 0.9");
  expect_refused({{kNow, R"("currentTime": 100, "GPUfractions": {"K80": {}})"}},
                 "GPUfractions.K80: has no costs in GPUcosts; there are: M60");
}

TEST(BadPlanRequest, is_told_all_at_once) {
  expect_refused({{"\"Priority\": 1", "\"Priority\": 9"},
                  {kTime, "\"1\": -1"},
                  {"\"total_nGPUs\": 2", "\"total_nGPUs\": 0"}},
                 "nodes.n2.total_nGPUs: must be at least 1 and at most 10000; it is 0\n"
                 "r.json: jobs.J1.Priority: must be at least 1 and at most 5; it is 9\n"
                 "r.json: jobs.J1.ProfilingData.M60.1: must be above 0 and at most 1000000000; it "
                 "is -1");
}

TEST(BadPlanRequest, is_told_in_a_hundred_lines_and_a_count) {
  std::string jobs;
  for (int i = 0; i < 150; ++i) jobs += "\"X" + std::to_string(i) + "\": 1, ";
  const std::string message = request_error(changed({{R"("jobs": {)", "\"jobs\": {" + jobs}}));
  EXPECT_EQ(std::ranges::count(message, '\n'), 100);
  EXPECT_TRUE(message.ends_with("\nr.json: and 50 problems more")) << message;
}

TEST(BadPlanRequest, is_told_without_control_characters) {
  expect_refused({{R"("jobs": {)", R"("jobs": {"a\nb": 1, )"}},
                 "jobs.a?b: must be an object with: SubmissionTime Deadline Priority Epochs "
                 "ProfilingData Memory EpochsDistribution Clocks");
}

}  // namespace
}  // namespace penstock
