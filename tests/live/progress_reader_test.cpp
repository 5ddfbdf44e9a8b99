#include "live/progress_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "live/live_world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using Steady = std::chrono::steady_clock;

/// Files in memory, which may hang. Outlives who reads them.
struct FakeFiles {
  std::mutex mutex;
  std::map<std::string, JobProgress> news;  ///< by path, until it is read
  std::atomic<bool> hangs{false};
  std::atomic<int> reads{0};

  void write(const std::string& path, double done) {
    const std::scoped_lock lock(mutex);
    news[path] = {.when = kNoon + 24h, .done = done, .saved = done};
  }
  std::optional<JobProgress> read(const std::string& path) {
    ++reads;
    while (hangs) std::this_thread::sleep_for(1ms);
    const std::scoped_lock lock(mutex);
    const auto found = news.extract(path);
    return found ? std::optional(found.mapped()) : std::nullopt;
  }
};

/// A site with two running jobs that scale and work in folders of their own.
class ProgressReaderTest : public testing::Test {
 protected:
  ProgressReaderTest() {
    for (const char* folder : {"/a", "/b"}) {
      FakeJob& job = world_.slurm.add_job({.comment = "penstock: profile=resnet gpus=1-2"});
      job.work_dir = folder;
      EXPECT_TRUE(world_.slurm.start(job, {}));
    }
    wait();
    world_.site->set_last_progress([&](const TrackedJob& job, Time now) {
      const auto begun = Steady::now();
      auto said = reader_->last_progress(SiteId{}, job, now);
      waited_ = std::max(waited_, Steady::now() - begun);
      return said;
    });
  }
  ~ProgressReaderTest() override { files_->hangs = false; }

  void wait() {
    Batch batch;
    EXPECT_TRUE(world_.wait(std::nullopt, batch));
  }
  void look() {
    SlurmSite* const site = &*world_.site;
    reader_->request_reads(std::span(&site, 1));
  }
  void add_events() {
    SlurmSite* const site = &*world_.site;
    reader_->deliver(std::span(&site, 1), world_.slurm.now());
  }
  void until_read() const {
    while (!reader_->is_idle()) std::this_thread::sleep_for(1ms);
  }
  std::size_t told(const std::string& ref) const { return world_.site->find(ref)->progress.size(); }

  LiveWorld world_;
  std::shared_ptr<FakeFiles> files_ = std::make_shared<FakeFiles>();
  std::atomic<int> came_{0};
  std::optional<ProgressReader> reader_{
      std::in_place, [files = files_](const std::string& path) { return files->read(path); },
      [this] { ++came_; }};
  Steady::duration waited_{};
  static constexpr const char* kFirst = "/a/penstock-1.progress";
};

TEST_F(ProgressReaderTest, what_was_read_is_told_when_it_is_asked_for) {
  files_->write(kFirst, 7);
  look();
  until_read();
  EXPECT_EQ(came_, 1);
  EXPECT_EQ(told("1"), 0u);
  add_events();
  ASSERT_EQ(told("1"), 1u);
  EXPECT_EQ(told("2"), 0u);
  EXPECT_EQ(world_.site->find("1")->progress.front().done, 7);
  EXPECT_EQ(world_.site->find("1")->progress.front().when, world_.slurm.now());  // not later
}

TEST_F(ProgressReaderTest, what_a_job_saves_when_it_is_stopped_counts_for_the_run_that_did_it) {
  files_->write(kFirst, 9);
  world_.slurm.send_back(world_.slurm.job("1"), true);
  wait();
  ASSERT_EQ(world_.site->find("1")->runs_seen.size(), 1u);
  EXPECT_EQ(world_.site->find("1")->runs_seen.front().done, 9);
}

TEST_F(ProgressReaderTest, what_was_read_and_not_told_when_a_job_is_stopped_counts_too) {
  files_->write(kFirst, 9);
  look();
  until_read();
  world_.slurm.send_back(world_.slurm.job("1"), true);
  wait();
  EXPECT_EQ(world_.site->find("1")->runs_seen.front().done, 9);
}

TEST_F(ProgressReaderTest, a_file_system_that_hangs_held_up_all_that_is_scheduled) {
  files_->hangs = true;
  look();
  while (files_->reads == 0) std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 100; ++i) look();  // asks for no more than the first time
  std::this_thread::sleep_for(150ms);
  for (const char* ref : {"1", "2"}) world_.slurm.send_back(world_.slurm.job(ref), true);
  wait();
  EXPECT_LT(waited_, 50ms);
  files_->hangs = false;
  until_read();
  EXPECT_EQ(files_->reads, 2);
}

TEST_F(ProgressReaderTest, the_first_to_stop_while_a_read_begins_to_hang_waits_for_a_moment) {
  files_->hangs = true;
  for (const char* ref : {"1", "2"}) world_.slurm.send_back(world_.slurm.job(ref), true);
  wait();
  EXPECT_GE(waited_, 100ms);
  EXPECT_LT(waited_, 1s);
}

TEST_F(ProgressReaderTest, what_comes_late_is_not_taken_for_the_next_run) {
  files_->hangs = true;
  files_->write(kFirst, 9);
  look();
  world_.slurm.send_back(world_.slurm.job("1"), false);
  world_.slurm.advance_to(world_.slurm.now() + 5s);
  ASSERT_TRUE(world_.slurm.start(world_.slurm.job("1"), {}));
  wait();
  ASSERT_NE(world_.site->find("1"), nullptr);
  files_->hangs = false;
  until_read();
  add_events();
  for (const JobProgress& each : world_.site->find("1")->progress) EXPECT_NE(each.done, 9);
}

TEST_F(ProgressReaderTest, ends_without_waiting_for_a_read_that_hangs) {
  files_->hangs = true;
  look();
  while (files_->reads == 0) std::this_thread::sleep_for(1ms);
  reader_.reset();
  EXPECT_TRUE(files_->hangs);
}

}  // namespace
}  // namespace penstock
