#include "live/recovery.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/live_world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A daemon that is started again at noon, with one job that still runs.
class RememberJobs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "remember-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ASSERT_TRUE(world_.slurm.start(world_.slurm.add_job({.gpus = 2}), {}));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void wrote(Duration ago, const std::string& what, const std::string& detail) const {
    auto journal = Journal::open(folder_ / "journal.db");
    std::vector<JournalEntry> entries{
        {.when = kNoon - ago, .site = "here", .job = 1, .what = what, .detail = detail}};
    ASSERT_TRUE(journal->write(entries, {}));
  }
  /// The job as the next process knows it.
  const TrackedJob* known() {
    auto reader = JournalReader::open(folder_ / "journal.db");
    EXPECT_TRUE(reader);
    SlurmSite* const site = &*world_.site;
    const auto done = restore_jobs(*reader, std::span(&site, 1), kNoon);
    EXPECT_TRUE(done) << done.error().message;
    Batch batch;
    EXPECT_TRUE(world_.wait(std::nullopt, batch));
    return world_.site->find("1");
  }
  static constexpr const char* kAsked =
      R"({"ref":"1","gpus":4,"nodes":2,"gpus_per_node":2,"submitted_ms":1000})";
  static constexpr const char* kRun =
      R"({"ref":"1","started_ms":2000,"ended_ms":3000,"gpus":4,"nodes":["n0"],"type":"a","done":7})";

  LiveWorld world_;
  std::filesystem::path folder_;
};

TEST_F(RememberJobs, of_a_job_that_runs_for_weeks_shape_and_runs_were_forgotten) {
  wrote(30 * 24h, "submitted", kAsked);
  wrote(29 * 24h, "run", kRun);
  const TrackedJob* job = known();
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->asked, 4u);
  EXPECT_EQ(job->shape.nodes, 2u);
  EXPECT_EQ(job->seen.submitted, Time(1s));
  ASSERT_EQ(job->runs_seen.size(), 2u);
  EXPECT_EQ(job->runs_seen.front().done, 7);
}

TEST_F(RememberJobs, a_job_that_is_run_anew_after_its_end_begins_anew) {
  wrote(3h, "submitted", kAsked);
  wrote(2h, "run", kRun);
  wrote(1h, "ended", R"({"ref":"1"})");
  const TrackedJob* job = known();
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->asked, 2u);
  EXPECT_EQ(job->runs_seen.size(), 1u);
}

TEST_F(RememberJobs, the_end_of_a_task_is_not_that_of_its_array) {
  wrote(30 * 24h, "submitted", kAsked);
  wrote(20 * 24h, "ended", R"({"ref":"1_9"})");  // the last task has the number of the array
  wrote(20 * 24h, "ended", "rubbish");
  EXPECT_EQ(known()->asked, 4u);
}

TEST_F(RememberJobs, an_end_that_was_told_is_not_told_again) {
  wrote(1h, "ended", R"({"ref":"1"})");
  world_.slurm.end(world_.slurm.job("1"), "completed");
  world_.latest = kNoon + 10s;
  EXPECT_EQ(known(), nullptr);
  for (const JournalEntry& note : world_.notes) EXPECT_NE(note.what, "ended");
}

TEST_F(RememberJobs, of_the_pool_those_wait_again_that_no_cluster_has_taken) {
  const bridge::SubmitJob submission{
      .script = "#!/bin/sh", .name = "train", .work_dir = "/tmp", .gpus = {.total = 2}};
  for (int number = 1; number <= 3; ++number)
    wrote(2h, "pooled",
          nlohmann::json{{"pool", number}, {"members", bridge::submit_members(submission)}}.dump());
  wrote(1h, "placed", R"({"pool":1})");
  wrote(1h, "unpooled", R"({"pool":2})");
  auto journal = Journal::open(folder_ / "journal.db");
  ASSERT_TRUE(journal);
  JobPool pool;
  ASSERT_TRUE(restore_pool(*journal, pool));
  ASSERT_EQ(pool.jobs().size(), 1u);
  const PooledJob* job = pool.find(3);
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->as_slurm.name, "train");
  EXPECT_EQ(job->as_slurm.gpus, 2u);
  EXPECT_EQ(pool.next(), 4);
}

}  // namespace
}  // namespace penstock
