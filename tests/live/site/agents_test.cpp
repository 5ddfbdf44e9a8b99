#include "live/site/agents.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/live_world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

Agents::Report report(const char* text) {
  auto read = Agents::read(json::parse(text), kNoon);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? *std::move(read) : Agents::Report{};
}

TEST(Agents, draw_is_known_when_all_gpus_of_a_job_are) {
  Agents agents;
  agents.take("n1", report(R"({"gpus":[{"index":0,"power_w":100},{"index":1,"power_w":50.5}]})"));
  EXPECT_EQ(agents.draw({{.node = "n1", .indices = {0, 1}}}, {kNoon, kNoon}), Watts(150.5));
  EXPECT_FALSE(agents.draw({{.node = "n1", .indices = {0, 2}}}, {kNoon, kNoon}));
  EXPECT_FALSE(agents.draw({{.node = "n2", .indices = {0}}}, {kNoon, kNoon}));
  EXPECT_FALSE(agents.draw({}, {kNoon, kNoon}));
}

TEST(Agents, what_is_older_than_a_minute_does_not_count) {
  Agents agents;
  agents.take("n1", report(R"({"gpus":[{"index":0,"power_w":100}]})"));
  EXPECT_TRUE(agents.is_alive("n1", kNoon + 60s));
  EXPECT_FALSE(agents.is_alive("n1", kNoon + 61s));
  EXPECT_FALSE(agents.draw({{.node = "n1", .indices = {0}}}, {kNoon, kNoon + 61s}));
}

TEST(Agents, what_no_gpu_can_draw_is_passed_over) {
  const auto lies = report(
      R"({"gpus":[{"index":0,"power_w":-1},{"index":1,"power_w":1e9},{"index":2},
                  {"index":3,"power_w":"much"},{"index":4,"power_w":10,"clock_mhz":-7}],
          "problems":["hot",3]})");
  EXPECT_EQ(lies.gpus.size(), 1u);
  EXPECT_EQ(lies.gpus.at(4).clock_mhz, 0u);
  ASSERT_EQ(lies.problems.size(), 5u);
  EXPECT_EQ(lies.problems.back(), "hot");
}

TEST(Agents, a_report_that_is_none_is_refused) {
  for (const char* text : {"3", "[]", "{}", R"({"gpus":{}})", R"({"gpus":[3]})",
                           R"({"gpus":[{"power_w":3}]})", R"({"gpus":[{"index":-1}]})"})
    EXPECT_FALSE(Agents::read(json::parse(text), kNoon)) << text;
}

TEST(Agents, problems_are_bounded) {
  json body{{"gpus", json::array()}, {"problems", json::array()}};
  for (int i = 0; i < 100; ++i) body["problems"].push_back(std::string(10'000, 'x'));
  const auto read = Agents::read(body, kNoon);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->problems.size(), 20u);
  EXPECT_EQ(read->problems.front().size(), 500u);
}

TEST(Agents, what_was_seen_before_a_run_does_not_count_for_it) {
  Agents agents;
  agents.take("n1", report(R"({"gpus":[{"index":0,"power_w":100,"energy_j":5}]})"));
  EXPECT_TRUE(agents.readings({{.node = "n1", .indices = {0}}}, {kNoon, kNoon + 1s}));
  EXPECT_FALSE(agents.readings({{.node = "n1", .indices = {0}}}, {kNoon + 1s, kNoon + 1s}));
  EXPECT_FALSE(agents.draw({{.node = "n1", .indices = {0}}}, {kNoon + 1s, kNoon + 1s}));
}

TEST(Agents, energy_between_two_readings_is_what_was_drawn) {
  const std::vector<Agents::Reading> before{{kNoon, 100}, {kNoon + 1s, 1000}};
  EXPECT_EQ(Agents::draw_between(before, {{kNoon + 10s, 1100}, {kNoon + 11s, 3000}}), Watts(300));
  EXPECT_FALSE(Agents::draw_between(before, {{kNoon + 10s, 1100}}));
  EXPECT_FALSE(Agents::draw_between(before, before));  // no time has passed
  EXPECT_FALSE(Agents::draw_between(before, {{kNoon + 10s, 50}, {kNoon + 11s, 3000}}));
  EXPECT_FALSE(Agents::draw_between(before, {{kNoon + 10s, 1e6}, {kNoon + 11s, 3000}}));
}

}  // namespace
}  // namespace penstock
