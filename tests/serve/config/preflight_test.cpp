#include "serve/config/preflight.h"

#include <gtest/gtest.h>

#include <fstream>

#include "serve/http/http_server.h"

namespace penstock {
namespace {

class PremisesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "premises-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    config_.file = "serve.toml";
    config_.journal = folder_ / "journal.db";
    config_.api.port = 0;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  ServeConfig config_;
};

TEST_F(PremisesTest, a_daemon_needs_little_and_nothing_is_made_for_it) {
  EXPECT_EQ(preflight_problems(config_), std::vector<std::string>{});
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PremisesTest, beyond_loopback_a_token_is_needed) {
  config_.api.host = "0.0.0.0";
  const auto missing = preflight_problems(config_);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_NE(missing[0].find("serve.listen: listening on 0.0.0.0 lets others"), std::string::npos);
}

TEST_F(PremisesTest, a_port_is_missed_unless_the_daemon_of_this_journal_has_it) {
  HttpServer other(HttpLimits{}, 1);
  const auto port = other.begin("127.0.0.1", 0);
  ASSERT_TRUE(port);
  config_.api.port = *port;
  EXPECT_EQ(preflight_problems(config_).size(), 1u);
  const auto lock = acquire_file_lock(config_.journal.string() + ".lock");
  ASSERT_TRUE(lock);
  EXPECT_EQ(preflight_problems(config_).size(), 0u);
}

TEST_F(PremisesTest, a_file_is_no_folder) {
  std::ofstream(folder_ / "file") << "x";
  config_.heartbeat = folder_ / "file" / "alive";
  const auto missing = preflight_problems(config_);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_NE(missing[0].find("serve.heartbeat: there is no folder"), std::string::npos);
}

}  // namespace

namespace {

TEST(FileLock, is_had_by_one_at_a_time) {
  const std::string path = testing::TempDir() + "penstock-file-lock";
  auto first = acquire_file_lock(path);
  ASSERT_TRUE(first);
  const auto second = acquire_file_lock(path);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another penstock serve has it"), std::string::npos);
  first->close();
  EXPECT_TRUE(acquire_file_lock(path));
}

TEST(FileLock, says_why_it_cannot_be_made) {
  const auto none = acquire_file_lock("/nonesuch/lock");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "/nonesuch/lock: cannot be made: No such file or directory");
}

}  // namespace

}  // namespace penstock
