#include "daemon/release.h"

#include "daemon/fake_site.h"

namespace penstock {
namespace {

using ReleaseHeldJobs = FakeSite;

TEST_F(ReleaseHeldJobs, counts_none_where_none_is_held) {
  const auto config = this->config();
  ASSERT_TRUE(config) << config.error().message;
  const auto released = release_held_jobs(config->sites.front());
  ASSERT_TRUE(released) << released.error().message;
  EXPECT_EQ(*released, 0);
}

TEST_F(ReleaseHeldJobs, fails_where_the_bridge_cannot_be_started) {
  const auto config = this->config();
  ASSERT_TRUE(config) << config.error().message;
  std::filesystem::remove(bridge());
  EXPECT_FALSE(release_held_jobs(config->sites.front()));
}

TEST_F(ReleaseHeldJobs, no_job_waits_in_a_pool_without_a_journal) {
  const auto pooled = count_pooled_jobs(folder_ / "journal.db");
  ASSERT_TRUE(pooled) << pooled.error().message;
  EXPECT_EQ(*pooled, 0u);
}

}  // namespace
}  // namespace penstock
