#include <gtest/gtest.h>

#include "policies/geo/router_stage.h"
#include "policies/geo/routers.h"

namespace penstock {
namespace {

using Sites = std::vector<std::uint32_t>;

std::unique_ptr<Router> rule_router(const RouterStage& stage, std::string_view name) {
  auto made = make_rule_router({.cluster = stage.cluster()}, name, {{"seed", "1"}});
  return *std::move(made);
}

/// 0.20 for a kWh at the first site, and 0.15 x 1.5 = 0.225 at the second with its PUE; carbon is
/// 300 g and 150 g x 1.5 = 225 g.
RouterStage dear_and_dirty() {
  return RouterStage({{.gpus_per_node = 2, .prices = {0.2}, .grams = {300}},
                      {.gpus_per_node = 2, .prices = {0.15}, .grams = {150}, .pue = 1.5}});
}

TEST(RuleRouter, compares_prices_and_carbon_with_the_pue) {
  RouterStage stage = dear_and_dirty();
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest")), Sites{0});
  stage.submit({.home = 0});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "greenest")), Sites{1});
}

TEST(RuleRouter, goes_by_the_price_of_this_hour) {
  RouterStage stage({{.prices = {0.1, 0.3}}, {.prices = {0.2}}});
  stage.submit({});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest"), 0.9), Sites{0});
  stage.submit({});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest"), 1), Sites{1});
}

TEST(RuleRouter, passes_over_a_cheap_site_without_room_unless_no_site_has_room) {
  RouterStage stage = dear_and_dirty();
  stage.news(0).free = 1;
  stage.submit({.gpus = 2});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest")), Sites{1});
  stage.news(1).claimed = 1;
  stage.submit({.gpus = 2});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest")), Sites{0});
}

TEST(RuleRouter, counts_the_jobs_that_it_has_just_sent) {
  RouterStage stage = dear_and_dirty();
  for (int i = 0; i < 4; ++i) stage.submit({.gpus = 1});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "cheapest")), (Sites{0, 0, 1, 1}));
}

TEST(RuleRouter, takes_sites_that_are_up_in_turn) {
  RouterStage stage({{}, {}, {}});
  const auto router = rule_router(stage, "round-robin");
  stage.news(1).gpus = 0;
  for (int i = 0; i < 3; ++i) stage.submit({});
  EXPECT_EQ(stage.sites_chosen(*router), (Sites{0, 2, 0}));
  stage.news(1).gpus = 1;
  stage.submit({});
  EXPECT_EQ(stage.sites_chosen(*router), Sites{1}) << "the turn goes on from call to call";
}

TEST(RuleRouter, measures_load_and_room_by_the_size_of_the_site) {
  RouterStage stage({{.gpus_per_node = 8}, {.gpus_per_node = 2}});
  stage.news(0).free = 2;  // a quarter is free, of the other a half
  stage.news(1).free = 1;
  stage.submit({});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "most-free")), Sites{1});
  stage.news(0).running_gpu_hours = 16;  // 2 h of work against 3 h
  stage.news(1).running_gpu_hours = 6;
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "least-loaded")), Sites{0});
  stage.news(1).running_gpu_hours = 4;
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*rule_router(stage, "least-loaded")), Sites{1}) << "home, of equals";
}

TEST(RuleRouter, leaves_home_only_if_that_is_down_and_waits_if_all_are) {
  RouterStage stage({{}, {}, {}});
  const auto local = rule_router(stage, "local");
  stage.news(1).waiting_gpu_hours = 5;
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*local), Sites{1});
  stage.news(1).gpus = 0;
  stage.news(0).waiting_gpu_hours = 2;
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*local), Sites{2}) << "the least busy";
  stage.news(0).gpus = stage.news(2).gpus = 0;
  stage.submit({.home = 1});
  EXPECT_EQ(stage.sites_chosen(*local), Sites{});
}

}  // namespace
}  // namespace penstock
