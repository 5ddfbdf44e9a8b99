#include "serve/api/job_finder.h"

#include "serve/api/pooled_job.h"
#include "serve/two_sites.h"

namespace penstock {
namespace {

class JobFinderTest : public TwoSites {
 protected:
  /// "site/ref" of what is found, or why nothing is.
  std::string found(const std::string& id) {
    const auto job = finder.find(id);
    if (!job) return job.error().message;
    return backend.site(job->site).options().name + "/" + job->ref;
  }
  void write(std::vector<JournalEntry> entries) { ASSERT_TRUE(journal.write(entries, {})); }

  JobFinder finder{backend, journal};
};

TEST_F(JobFinderTest, takes_a_site_at_its_word) {
  EXPECT_EQ(found("west/7"), "west/7") << "whoever asks for it will see whether there is one";
  EXPECT_EQ(found("west/7_2"), "west/7_2");
  EXPECT_EQ(found("north/7"), "there is no job 'north/7'; possible: SITE/NUMBER");
  EXPECT_EQ(found("/7"), "there is no job '/7'; possible: SITE/NUMBER");
}

TEST_F(JobFinderTest, finds_a_number_that_one_site_shows) {
  show(0, {waiting(7)});
  show(1, {waiting(8)});
  EXPECT_EQ(found("7"), "east/7");
  EXPECT_EQ(found("8"), "west/8");
  EXPECT_EQ(found("9"), "there is no job '9'; possible: SITE/NUMBER");
  EXPECT_EQ(found(""), "there is no job ''; possible: SITE/NUMBER");
}

TEST_F(JobFinderTest, asks_which_is_meant_if_two_sites_have_that_number) {
  show(0, {waiting(7)});
  show(1, {waiting(7)});
  EXPECT_EQ(found("7"), "several sites have a job '7'; possible: east/7 west/7");
}

TEST_F(JobFinderTest, finds_jobs_that_have_ended_in_the_journal) {
  write({{.site = "west", .job = 7, .what = "ended", .detail = "{}"}});
  EXPECT_EQ(found("7"), "west/7");
  show(0, {waiting(7)});
  EXPECT_EQ(found("7"), "east/7") << "one that is shown comes first";
}

TEST_F(JobFinderTest, follows_a_job_of_the_pool_to_its_site) {
  write({{.what = "pooled", .detail = R"({"pool":3})"},
         {.site = "west", .job = 12, .what = "placed", .detail = R"({"pool":3})"}});
  EXPECT_EQ(found("pool/3"), "west/12");
  EXPECT_EQ(found("pool/4"), "there is no job 'pool/4', and the journal knows of none");
}

TEST_F(JobFinderTest, says_that_a_job_of_the_pool_has_no_site_yet) {
  look_at_clusters();
  bridge::SubmitJob submission{.script = "#!/bin/sh\n"};
  submission.gpus.total = 1;
  auto job = pooled_job(1, submission, kNoon);
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(backend.add_to_pool(*std::move(job)));
  EXPECT_EQ(found("pool/1"), "job 'pool/1' waits for a site");
  backend.pool().find(1)->at = "west";
  EXPECT_EQ(found("pool/1"),
            "job 'pool/1' is being submitted to west; possible: to try again in a moment");
}

TEST_F(JobFinderTest, knows_the_number_of_a_task_by_what_its_cluster_says) {
  FakeJob task = waiting(9);
  task.ref = "7_2";
  show(0, {task});
  EXPECT_EQ(job_number(backend.site(0), "7_2"), 9);
  EXPECT_EQ(job_number(backend.site(1), "7_2"), 7) << "one that is not shown is of its array";
  EXPECT_EQ(job_number(backend.site(1), "x"), 0);
}

}  // namespace
}  // namespace penstock
