#include "io/plan/request.h"

#include <gtest/gtest.h>

#include "io/plan/request_text.h"

namespace penstock {
namespace {

PlanRequest good(RequestChanges changes = {}) {
  auto request = parse_plan_request(changed(changes), "r.json");
  EXPECT_TRUE(request) << (request ? "" : request.error().message);
  return request ? std::move(*request) : PlanRequest{};
}

TEST(PlanRequest, keeps_ids_and_order_and_multiplies_by_epochs) {
  const JointProblem problem = good().problem;
  EXPECT_EQ(problem.now, 100);
  ASSERT_EQ(problem.jobs.size(), 2U);
  EXPECT_EQ(problem.jobs[0].name, "J1");
  EXPECT_EQ(problem.jobs[1].name, "J2");
  EXPECT_EQ(problem.jobs[0].options[1].seconds, 2000);
  EXPECT_EQ(problem.jobs[0].options[1].worst, 2000);
  EXPECT_EQ(problem.jobs[0].options[1].slices, 2U);
  EXPECT_EQ(problem.jobs[1].submitted, 50);
  EXPECT_EQ(problem.jobs[1].deadline, 5000);
  EXPECT_EQ(problem.jobs[0].weight, 0.00025371);
  EXPECT_EQ(problem.jobs[1].weight, 0.00044399);
}

TEST(PlanRequest, hands_back_the_gpus_of_running_jobs) {
  const JointProblem problem = good().problem;
  EXPECT_EQ(problem.nodes[0].gpus, 4U);
  EXPECT_EQ(problem.nodes[1].gpus, 2U);
  EXPECT_EQ(problem.jobs[0].running, (Assignment{.node = 0, .option = 0}));
  EXPECT_FALSE(problem.jobs[1].running);
}

TEST(PlanRequest, adds_the_cost_of_a_node_to_that_of_its_gpus_once_one_is_used) {
  EXPECT_EQ(good().problem.nodes[0].cost, (std::vector<double>{0, 1.5, 2.5, 3.5, 4.5}));
}

TEST(PlanRequest, counts_only_what_comes_on_top_of_gpus_in_other_hands) {
  const auto request =
      good({{"\"free_nGPUs\": 3", "\"free_nGPUs\": 1"}, {"\"2\": 2,", "\"2\": 2.75,"}});
  EXPECT_EQ(request.problem.nodes[0].gpus, 2U);  // of four, two are somebody else's
  EXPECT_EQ(request.problem.nodes[0].cost, (std::vector<double>{0, 0.25, 1.25}));
}

TEST(PlanRequest, has_the_defaults_of_the_published_service) {
  const PlanRequest request = good();
  EXPECT_EQ(request.settings.method, JointMethod::random_greedy);
  EXPECT_EQ(request.settings.seed, 4010U);
  EXPECT_FALSE(request.verbose);
  EXPECT_EQ(request.settings.time_limit, std::chrono::minutes(1));
}

TEST(PlanRequest, takes_settings) {
  const PlanRequest request =
      good({{"\"currentTime\": 100",
             R"("currentTime": 100, "method": "PS", "seed": 7, "verbose": 2, "restart": 30,
                "timeLimit": 0.5, "iterations": 10, "threads": 2)"}});
  EXPECT_EQ(request.settings.method, JointMethod::priority);
  EXPECT_EQ(request.settings.seed, 7U);
  EXPECT_EQ(request.settings.iterations, 10U);
  EXPECT_EQ(request.settings.threads, 2U);
  EXPECT_EQ(request.settings.time_limit, Duration(500));
  EXPECT_TRUE(request.verbose);
  EXPECT_EQ(request.problem.jobs[1].restart, 30);
}

TEST(PlanRequest, takes_dates_and_epochs_as_the_published_samples_write_them) {
  const auto request =
      good({{"\"SubmissionTime\": 0", R"("SubmissionTime": "Tue 21 Jul 2020, 17.56.59")"},
            {"\"Deadline\": 9000", R"("Deadline": "2020-07-24T07:16:50Z")"},
            {"\"SubmissionTime\": 50", R"("SubmissionTime": "2020-07-21")"},
            {"\"Deadline\": 5000", R"("Deadline": "2020-07-24")"},
            {"\"Epochs\": 10", R"("Epochs": "10")"},
            {"\"currentTime\": 100", R"("currentTime": "Tue 21 Jul 2020, 18.04.01")"}});
  EXPECT_EQ(request.form, InstantForm::weekday);
  EXPECT_EQ(request.problem.now - request.problem.jobs[0].submitted, 422);
  EXPECT_EQ(request.problem.jobs[0].options[0].seconds, 3600);
}

TEST(PlanRequest, drops_sizes_and_types_that_no_node_has) {
  const auto request =
      good({{R"({"M60": {"1": 100}})", R"({"K80": {"1": 5}, "M60": {"1": 100, "8": 9}})"}});
  EXPECT_EQ(request.problem.jobs[1].options.size(), 1U);
}

TEST(PlanRequest, passes_over_who_has_ended_or_waits) {
  const auto request = good({{R"("currentScheduling": {)",
                              R"("currentScheduling": {"gone": {"node": "n7", "nGPUs": 1},
                                 "J2": {"node": null, "nGPUs": 0}, )"}});
  EXPECT_FALSE(request.problem.jobs[1].running);
  EXPECT_EQ(request.problem.nodes[0].gpus, 4U);
}

TEST(PlanRequest, without_jobs_is_fine) {
  const auto request = parse_plan_request(
      R"({"jobs": {}, "nodes": {}, "GPUcosts": {}, "currentTime": 0})", "r.json");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->problem.jobs.empty());
}

TEST(PlanRequest, shares_gpus_where_memory_allows) {
  const auto request = good({{"\"currentTime\": 100", R"("currentTime": 100, "GPUfractions": {"M60":
         {"0.25": {"inflation": 1.11, "memory": 4}, "0.5": {"inflation": 1.5, "memory": 8}}})"},
                             {"\"Epochs\": 10", "\"Epochs\": 10, \"Memory\": 6"},
                             {"\"nGPUs\": 1", "\"nGPUs\": 0.5"}});
  EXPECT_EQ(request.problem.slices, 4U);
  const JointJob& job = request.problem.jobs[0];
  ASSERT_EQ(job.options.size(), 3U);  // one GPU, half of one, two; a quarter has too little memory
  EXPECT_EQ(job.options[1].slices, 2U);
  EXPECT_EQ(job.options[1].seconds, 5400);
  EXPECT_EQ(job.options[2].slices, 8U);
  EXPECT_EQ(job.running->option, 1U);
  EXPECT_EQ(request.problem.jobs[1].options.size(), 1U);  // its memory is not known
  EXPECT_EQ(request.problem.nodes[0].gpus, 4U);
}

TEST(PlanMethods, have_names_that_lead_back_to_them) {
  for (const PlanMethod& known : plan_methods()) {
    EXPECT_EQ(*parse_plan_method(known.name), known.method);
    EXPECT_EQ(plan_method_name(known.method), known.name);
  }
}

TEST(Instant, reads_the_forms_of_others_and_ours) {
  const auto published = parse_instant("Tue 21 Jul 2020, 17.56.59");
  const auto iso = parse_instant("2020-07-21T17:56:59Z");
  ASSERT_TRUE(published && iso);
  EXPECT_EQ(published->seconds, 1595354219);
  EXPECT_EQ(iso->seconds, 1595354219);
  EXPECT_EQ(published->form, InstantForm::weekday);
  EXPECT_EQ(iso->form, InstantForm::iso);
}

TEST(Instant, refuses_what_is_no_date) {
  for (const char* text : {"", "soon", "Tue 31 Feb 2020, 17.56.59", "Tue 21 Jux 2020, 17.56.59",
                           "Die 21 Jul 2020, 17.56.59", "Tue 21 Jul 2020 17.56.59 ", "217.7"})
    EXPECT_FALSE(parse_instant(text)) << text;
}

TEST(Instant, is_written_in_the_form_it_came_in) {
  const double later = 1595354219 + 73837.99561;
  EXPECT_EQ(instant_json({later, InstantForm::weekday}), R"("Wed 22 Jul 2020, 14.27.37")");
  EXPECT_EQ(instant_json({later, InstantForm::iso}), R"("2020-07-22T14:27:36.996Z")");
  EXPECT_EQ(instant_json({73837.99561, InstantForm::seconds}), "73837.99561");
}

}  // namespace
}  // namespace penstock
