#include "serve/api/job_changes.h"

#include <gtest/gtest.h>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

std::string told(const JobChanges::News& news) {
  std::string text;
  for (const TrackedJob* job : news.changed) text += job->seen.ref + " ";
  for (const std::string& ref : news.gone) text += "-" + ref + " ";
  return text;
}

TEST(JobChanges, finds_what_is_new_changed_and_gone_and_nothing_twice) {
  SiteTranscript tale;
  JobChanges changes;
  tale.held({.gpus = 2, .length = 8s});
  tale.pass(1);
  EXPECT_EQ(told(changes.update(tale.site())), "");
  tale.held({.gpus = 1});
  tale.pass(6);
  EXPECT_EQ(told(changes.update(tale.site())), "2 ");
  EXPECT_EQ(told(changes.update(tale.site())), "");
  tale.act(Start{tale.id("1"), {{GpuId{0}, 2}}});
  EXPECT_EQ(told(changes.update(tale.site())), "1 ");
  tale.pass(3);
  EXPECT_EQ(told(changes.update(tale.site())), "1 ");
  EXPECT_EQ(told(changes.update(tale.site())), "");
}

TEST(JobChanges, tells_of_jobs_that_are_no_longer_there) {
  SiteTranscript tale;
  SiteTranscript later;
  JobChanges changes;
  for (int i = 0; i < 3; ++i) tale.held({});
  later.held({});
  tale.pass(1);
  later.pass(1);
  changes.update(tale.site());
  EXPECT_EQ(told(changes.update(later.site())), "-2 -3 ");
}

}  // namespace
}  // namespace penstock
