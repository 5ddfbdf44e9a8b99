#include "serve/api_gate.h"

#include <gtest/gtest.h>

#include "serve/rate_limit.h"

namespace penstock {
namespace {

TEST(ApiGate, knows_loopback_from_names_that_look_like_it) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "::", "", "127.evil.example", "10.0.0.1", "localhost.evil"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(ApiGate, is_not_opened_beyond_loopback_without_a_token) {
  EXPECT_FALSE(ApiGate::make({.host = "0.0.0.0"}));
  EXPECT_TRUE(ApiGate::make({.host = "0.0.0.0", .token = "0123456789abcdef"}));
  EXPECT_TRUE(ApiGate::make({.host = "::1"}));
}

TEST(ApiGate, gives_a_page_without_data_to_whoever_asks_under_a_name_of_ours) {
  const auto open = ApiGate::make({.host = "127.0.0.1"});
  const auto closed = ApiGate::make({.host = "0.0.0.0", .token = "abcabc"});
  ASSERT_TRUE(open && closed);
  EXPECT_FALSE(open->refusal({.host = "localhost:7323", .is_shell = true}));
  EXPECT_EQ(open->refusal({.host = "evil.example", .is_shell = true})->status, 403);
  EXPECT_FALSE(closed->refusal({.host = "cluster.example", .is_shell = true}));
  EXPECT_EQ(closed->refusal({.host = "cluster.example"})->status, 401);
}

TEST(ApiGate, does_not_take_part_of_a_token) {
  const auto gate = ApiGate::make({.host = "127.0.0.1", .token = "abcabc"});
  ASSERT_TRUE(gate);
  const auto status = [&](std::string_view authorization) {
    const auto refusal = gate->refusal({.authorization = authorization, .writes = true});
    return refusal ? refusal->status : 200;
  };
  EXPECT_EQ(status("Bearer abcabc"), 200);
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer abc", "Bearer abcabcabc", "abcabc",
                            "bearer abcabc", "Bearer  abcabc", "Bearer abcabd"})
    EXPECT_EQ(status(wrong), 401) << wrong;
}

TEST(RateLimit, gives_a_burst_and_then_so_many_a_second) {
  RateLimit limit(2, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.admit("a", 0));
  EXPECT_FALSE(limit.admit("a", 0.4));
  EXPECT_TRUE(limit.admit("b", 0.4));
  EXPECT_TRUE(limit.admit("a", 0.5));
  EXPECT_FALSE(limit.admit("a", 0.5));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.admit("a", 100));
  EXPECT_FALSE(limit.admit("a", 100));
}

TEST(RateLimit, is_none_at_zero) {
  RateLimit limit(0, 0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.admit("a", 0));
  EXPECT_EQ(limit.known_peers(), 0u);
}

TEST(RateLimit, remembers_a_bounded_number_of_peers) {
  RateLimit limit(1e-9, 2);
  EXPECT_TRUE(limit.admit("greedy", 0));
  EXPECT_TRUE(limit.admit("greedy", 0));
  for (int i = 0; i < 10'000; ++i) limit.admit("peer" + std::to_string(i), 0);
  EXPECT_LE(limit.known_peers(), 4096u);
  EXPECT_FALSE(limit.admit("greedy", 0));
}

}  // namespace
}  // namespace penstock
