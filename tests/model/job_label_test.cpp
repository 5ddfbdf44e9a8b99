#include "model/job_label.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::string named(std::string_view text) {
  return with_job_names(text, [](JobId job) {
    return job.index == 12 ? std::string("east/4711") : job.index == 3 ? "pool/1" : "";
  });
}

TEST(JobWord, becomes_the_name_that_the_backend_has) {
  EXPECT_EQ(job_label(JobId{12}), "job #12");
  EXPECT_EQ(named("passes " + job_label(JobId{12}) + ": soon over"),
            "passes job east/4711: soon over");
  EXPECT_EQ(named("job #12, job #3"), "job east/4711, job pool/1");
}

TEST(JobWord, stays_if_nobody_knows_the_job_or_it_is_none) {
  for (const char* text : {"", "no jobs", "job #99", "job #", "job #x", "#12",
                           "job #99999999999999", "queue #12 of job 12"})
    EXPECT_EQ(named(text), text);
  EXPECT_EQ(named("job #123"), "job #123");  // not job 12
}

}  // namespace
}  // namespace penstock
