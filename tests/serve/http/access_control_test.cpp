#include "serve/http/access_control.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace penstock {
namespace {

TEST(AccessControl, knows_loopback_from_names_that_look_like_it) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "::", "", "127.evil.example", "10.0.0.1", "localhost.evil"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(AccessControl, is_not_opened_beyond_loopback_without_a_token) {
  EXPECT_FALSE(AccessControl::make({.host = "0.0.0.0"}));
  EXPECT_TRUE(AccessControl::make({.host = "0.0.0.0", .token = "0123456789abcdef"}));
  EXPECT_TRUE(AccessControl::make({.host = "::1"}));
}

TEST(AccessControl, gives_a_page_without_data_to_whoever_asks_under_a_name_of_ours) {
  const auto open = AccessControl::make({.host = "127.0.0.1"});
  const auto closed = AccessControl::make({.host = "0.0.0.0", .token = "abcabc"});
  ASSERT_TRUE(open && closed);
  EXPECT_FALSE(open->refusal({.host = "localhost:7323", .is_shell = true}));
  EXPECT_EQ(open->refusal({.host = "evil.example", .is_shell = true})->status, 403);
  EXPECT_FALSE(closed->refusal({.host = "cluster.example", .is_shell = true}));
  EXPECT_EQ(closed->refusal({.host = "cluster.example"})->status, 401);
}

TEST(AccessControl, does_not_take_part_of_a_token) {
  const auto gate = AccessControl::make({.host = "127.0.0.1", .token = "abcabc"});
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

namespace {

class TokenTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  Result<std::string> read(const std::string& text, mode_t mode = 0600) const {
    std::filesystem::remove(path_);
    std::ofstream(path_) << text;
    chmod(path_.c_str(), mode);
    return read_token(path_);
  }
  std::filesystem::path path_ = testing::TempDir() + "token_test_token";
};

TEST_F(TokenTest, is_the_first_line_without_blanks) {
  EXPECT_EQ(*read(" 0123456789abcdef \r\nnot this\n"), "0123456789abcdef");
  EXPECT_EQ(*read("0123456789abcdef", 0640), "0123456789abcdef");
}

TEST_F(TokenTest, must_be_hidden_from_others) {
  for (const mode_t mode : {0644u, 0604u, 0602u, 0620u, 0601u}) {
    const auto token = read("0123456789abcdef", mode);
    ASSERT_FALSE(token) << mode;
    EXPECT_NE(token.error().message.find("possible: chmod 600"), std::string::npos);
  }
}

TEST_F(TokenTest, must_be_long_and_printable_and_is_never_shown) {
  for (const char* text : {"", "short",
                           "0123456789abc\x01"
                           "defg",
                           "0123456789 abcdef"}) {
    const auto token = read(text);
    ASSERT_FALSE(token) << text;
    EXPECT_EQ(token.error().message.find("0123"), std::string::npos);
  }
  EXPECT_FALSE(read_token("/none/such"));
  EXPECT_FALSE(read_token(testing::TempDir()));
}

TEST_F(TokenTest, is_compared_as_a_whole) {
  EXPECT_TRUE(is_same_secret("", ""));
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("abc", "abd"));
  EXPECT_FALSE(is_same_secret("abc", "abcabc"));
  EXPECT_FALSE(is_same_secret("abcabc", "abc"));
  EXPECT_FALSE(is_same_secret("", "abc"));
  EXPECT_FALSE(is_same_secret("abc", ""));
}

}  // namespace

}  // namespace penstock
