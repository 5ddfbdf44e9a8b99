#include <gtest/gtest.h>

#include "policies/geo/router_stage.h"
#include "policies/geo/routers.h"

namespace penstock {
namespace {

std::unique_ptr<Router> local_router(const RouterStage& stage) {
  auto made = make_rule_router({.cluster = stage.cluster()}, "local", {{"seed", "1"}});
  return *std::move(made);
}

/// Around a router that leaves jobs at home.
std::unique_ptr<Router> waiting_router(const RouterStage& stage, const std::string& wait,
                                       const std::string& slack = "3") {
  auto made = make_waiting({.cluster = stage.cluster()}, {{"wait", wait}, {"slack", slack}},
                           local_router(stage));
  return *std::move(made);
}

bool sends(RouterStage& stage, Router& router, double hours) {
  return !stage.route(router, hours).sent.empty();
}

TEST(WaitingRouter, holds_a_job_until_its_best_hour_and_looks_again_on_the_way) {
  RouterStage stage({{.prices = {0.3, 0.3, 0.1, 0.3}}});
  const auto router = waiting_router(stage, "cheapest");
  stage.submit({});
  const Routing first = stage.route(*router);
  EXPECT_TRUE(first.sent.empty());
  EXPECT_EQ(first.ask_again, stage.at(0.5));
  EXPECT_EQ(stage.route(*router, 0.25).ask_again, stage.at(0.5)) << "it is not thought over before";
  for (const double hours : {0.5, 1.0, 1.5}) EXPECT_FALSE(sends(stage, *router, hours)) << hours;
  EXPECT_TRUE(sends(stage, *router, 2));
  EXPECT_EQ(stage.route(*router, 2).ask_again, std::nullopt);
}

TEST(WaitingRouter, goes_by_carbon_if_that_is_asked) {
  RouterStage stage({{.prices = {0.3, 0.1}, .grams = {100, 300}}});
  stage.submit({});
  EXPECT_TRUE(sends(stage, *waiting_router(stage, "greenest"), 0));
  stage.submit({});
  EXPECT_FALSE(sends(stage, *waiting_router(stage, "cheapest"), 0));
}

TEST(WaitingRouter, does_not_wait_for_less_than_a_fiftieth) {
  RouterStage little({{.prices = {0.1, 0.0985}}});
  little.submit({});
  EXPECT_TRUE(sends(little, *waiting_router(little, "cheapest"), 0));
  RouterStage enough({{.prices = {0.1, 0.0975}}});
  enough.submit({});
  EXPECT_FALSE(sends(enough, *waiting_router(enough, "cheapest"), 0));
}

TEST(WaitingRouter, lets_a_job_go_in_time_for_its_deadline) {
  RouterStage stage({{.prices = {0.3, 0.3, 0.1}}});
  const auto router = waiting_router(stage, "cheapest");
  stage.submit({.deadline = 2.5});  // must leave at 1.5 h, and is then cheap for half its time
  for (const double hours : {0.0, 0.5, 1.0}) EXPECT_FALSE(sends(stage, *router, hours)) << hours;
  EXPECT_TRUE(sends(stage, *router, 1.5));
}

TEST(WaitingRouter, forgets_who_is_gone) {
  RouterStage stage({{.prices = {0.3, 0.3, 0.1}}});
  const auto router = waiting_router(stage, "cheapest");
  stage.submit({});
  EXPECT_TRUE(stage.route(*router).ask_again);
  stage.withdraw(0);
  router->forget(JobId{0});
  EXPECT_FALSE(stage.route(*router).ask_again);
}

TEST(WaitingRouter, is_the_router_itself_if_nobody_is_to_wait) {
  const RouterStage stage({PlainSite{}});
  auto inner = local_router(stage);
  const Router* same = inner.get();
  const auto made = make_waiting({.cluster = stage.cluster()}, {{"wait", "none"}, {"slack", "1"}},
                                 std::move(inner));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->get(), same);
  const auto wrong = make_waiting({.cluster = stage.cluster()}, {{"wait", "long"}, {"slack", "1"}},
                                  local_router(stage));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "wait: 'long' is not possible; possible: none cheapest greenest");
}

TEST(LatestDeparture, is_by_the_deadline_or_by_the_time_asked_for) {
  using namespace std::chrono_literals;
  const Stay stay{.delay = 10min, .run = 2h};
  JobState job;
  job.job.submitted = Time(24h);
  job.job.requested = 4h;
  EXPECT_EQ(latest_departure(job, stay, 0.5), Time(26h));
  job.job.deadline = Time(30h);
  EXPECT_EQ(latest_departure(job, stay, 0.5), Time(27h + 50min));
}

}  // namespace
}  // namespace penstock
