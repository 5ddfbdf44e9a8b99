#include "serve/api/job_changes.h"

#include <gtest/gtest.h>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

std::string changed_jobs(const JobChanges::Changes& changes) {
  std::string text;
  for (const TrackedJob* job : changes.changed) text += job->seen.ref + " ";
  for (const std::string& ref : changes.gone) text += "-" + ref + " ";
  return text;
}

TEST(JobChanges, finds_what_is_new_changed_and_gone_and_nothing_twice) {
  SiteTranscript transcript;
  JobChanges changes;
  transcript.held({.gpus = 2, .length = 8s});
  transcript.pass(1);
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "");
  transcript.held({.gpus = 1});
  transcript.pass(6);
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "2 ");
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "");
  transcript.act(Start{transcript.id("1"), {{GpuId{0}, 2}}});
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "1 ");
  transcript.pass(3);
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "1 ");
  EXPECT_EQ(changed_jobs(changes.update(transcript.site())), "");
}

TEST(JobChanges, tells_of_jobs_that_are_no_longer_there) {
  SiteTranscript transcript;
  SiteTranscript later;
  JobChanges changes;
  for (int i = 0; i < 3; ++i) transcript.held({});
  later.held({});
  transcript.pass(1);
  later.pass(1);
  changes.update(transcript.site());
  EXPECT_EQ(changed_jobs(changes.update(later.site())), "-2 -3 ");
}

}  // namespace
}  // namespace penstock
