#include "serve/token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace penstock {
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
