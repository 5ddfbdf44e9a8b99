#include "daemon/check.h"

#include "daemon/fake_site.h"

namespace penstock {
namespace {

using CheckDaemon = FakeSite;

TEST_F(CheckDaemon, says_in_one_line_what_would_run) {
  const auto config = this->config();
  ASSERT_TRUE(config) << config.error().message;
  const CheckReport report = check_daemon(*config);
  ASSERT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_EQ(report.summary, (folder_ / "serve.toml").string() +
                                ": fine: 4 GPUs at 1 site, policy fifo, mode shadow");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "journal.db"));
}

TEST_F(CheckDaemon, names_a_site_whose_cluster_does_not_answer) {
  const auto config = this->config();
  ASSERT_TRUE(config) << config.error().message;
  std::filesystem::remove(bridge());
  const CheckReport report = check_daemon(*config);
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_NE(report.problems.front().find("site 'east': its cluster does not answer"),
            std::string::npos)
      << report.problems.front();
  EXPECT_EQ(report.summary, "");
}

}  // namespace
}  // namespace penstock
