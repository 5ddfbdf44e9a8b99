#include "learn/geo/geo_weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "learn/net/weights.h"

namespace penstock {
namespace {

ActorCritic untrained_net(const GeoRules& rules) {
  return ActorCritic(geo_shape(rules.variant), Rng(1));
}

GeoRules marl_rules() {
  return {.variant = *find_geo_variant("marl"), .scale = {2, 0.1, 300}};
}

/// Why a file is refused that holds these numbers as its rules.
std::string refusal_of_rules(std::vector<double> numbers) {
  const GeoRules rules = marl_rules();
  auto weights = decode_weights(encode_geo_agent({.net = untrained_net(rules), .rules = rules}));
  weights->tensors["geo.rules"] = {{numbers.size()}, std::move(numbers)};
  const auto agent = decode_geo_agent(encode_weights(*weights), "marl");
  return agent ? "" : agent.error().message;
}

TEST(GeoWeights, give_back_rules_and_texts_bit_for_bit) {
  GeoRules rules = marl_rules();
  rules.weights = {.utilization = 0.1, .cost = 0.2, .carbon = 0.3, .transfer = 0.4, .late = 0.7};
  rules.slack = 1.0 / 3;
  const std::string bytes = encode_geo_agent(
      {.net = untrained_net(rules), .rules = rules, .about = {{"command", "train"}}});
  const auto agent = decode_geo_agent(bytes, "marl");
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->rules.weights, rules.weights);
  EXPECT_EQ(agent->rules.scale, rules.scale);
  EXPECT_EQ(agent->rules.slack, rules.slack);
  EXPECT_EQ(agent->about.at("command"), "train");
  EXPECT_EQ(encode_geo_agent(*agent), bytes);
}

TEST(GeoWeights, refuse_what_is_no_file_of_weights) {
  EXPECT_FALSE(decode_geo_agent("", "marl"));
  EXPECT_FALSE(decode_geo_agent("not a file of weights", "marl"));
  const auto unknown = decode_geo_agent("", "team");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "there is no variant 'team'");
}

TEST(GeoWeights, refuse_rules_that_no_training_had) {
  const std::string refusal = "geo.rules: holds what no mean job costs";
  EXPECT_EQ(refusal_of_rules({1, 1, 1, 1, 1, 1, 1, 1, 1}), "");
  EXPECT_EQ(refusal_of_rules({0, 1, 1, 1, 1, 1, 1, 1, 1}), refusal) << "a job that needs nothing";
  EXPECT_EQ(refusal_of_rules({1, 1, 1, 1, 1, 1, 1, 1, -1}), refusal);
  EXPECT_EQ(refusal_of_rules({1, 1, 1, 1, 1, 1, 1, 1, std::numeric_limits<double>::infinity()}),
            refusal);
  EXPECT_NE(refusal_of_rules({1, 1, 1}), "");
}

TEST(GeoWeights, keep_what_agents_were_trained_without) {
  GeoRules rules{.variant = *find_geo_variant("marl"), .scale = {2, 0.1, 300}};
  const auto plain =
      decode_geo_agent(encode_geo_agent({.net = untrained_net(rules), .rules = rules}), "marl");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_TRUE(plain->rules.waiting && plain->rules.transfers && plain->rules.variant.joint_critic);
  rules.waiting = rules.transfers = rules.variant.joint_critic = false;
  const auto bare =
      decode_geo_agent(encode_geo_agent({.net = untrained_net(rules), .rules = rules}), "marl");
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_FALSE(bare->rules.waiting || bare->rules.transfers || bare->rules.variant.joint_critic);
  EXPECT_TRUE(bare->rules.variant.team_reward);
}

TEST(GeoWeights, refuses_a_network_of_another_kind) {
  const GeoRules rules{.variant = *find_geo_variant("marl"), .scale = {2, 0.1, 300}};
  const std::string bytes = encode_geo_agent({.net = untrained_net(rules), .rules = rules});
  const auto other = decode_geo_agent(bytes, "single-rl");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "has weights of marl, not of single-rl");
  auto changed = decode_weights(bytes);
  changed->metadata["penstock.item_features"] += " site.mood";
  const auto unknown = decode_geo_agent(encode_weights(*changed), "marl");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message.starts_with("features of an item: trained with"));
}

}  // namespace
}  // namespace penstock
