#include "page/run_facts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

TEST(Flows, add_up_jobs_between_homes_and_sites) {
  const std::vector<std::string> sites{"north", "south"};
  StoredJob stays{.name = "a", .gpus = 1};
  stays.home = "north";
  stays.gpus_mean = 2;
  stays.held = std::chrono::minutes(30);
  StoredJob goes = stays;
  goes.site = 1;
  goes.sent_gb = 5;
  const StoredJob homeless{.name = "c", .gpus = 1};
  const auto flows = flows_of(std::vector{stays, goes, goes, homeless}, sites);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].to, "north");
  EXPECT_EQ(flows[0].gpu_hours, 1);
  EXPECT_EQ(flows[1].from, "north");
  EXPECT_EQ(flows[1].to, "south");
  EXPECT_EQ(flows[1].jobs, 2u);
  EXPECT_EQ(flows[1].gigabytes, 10);
  EXPECT_TRUE(flows_of(std::vector{stays}, std::span(sites).first(1)).empty());
}

TEST(Budget, is_a_mean_power_if_it_is_one_for_each_hour) {
  const auto json = budget_json({.options = {{"energy_budget", "40 kWh/h"}}});
  EXPECT_EQ(json["watts"], 40000);
  EXPECT_EQ(json["text"], "40 kWh/h");
  EXPECT_TRUE(budget_json({.options = {{"energy_budget", "40 kWh"}}}).is_null());
  EXPECT_TRUE(budget_json({.options = {{"energy_budget", "none"}}}).is_null());
  EXPECT_TRUE(budget_json({}).is_null());
}

TEST(Learning, is_absent_without_a_curve_beside_the_weights) {
  EXPECT_TRUE(learning_json({}).is_null());
  EXPECT_TRUE(learning_json({.options = {{"weights", "nowhere.safetensors"}}}).is_null());
}

}  // namespace
}  // namespace penstock
