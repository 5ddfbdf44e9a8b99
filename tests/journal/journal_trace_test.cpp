#include "journal/journal_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "journal/ended_json.h"
#include "journal/journal.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A folder that is gone afterwards.
class JournalTraceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "journal-trace-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "journal.sqlite"; }
  std::string file() const { return path().string(); }

  void write(std::vector<JournalEntry> entries) {
    auto journal = Journal::open(path());
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE(journal->write(entries, {}));
  }
  void write_end(const EndedJob& job, const std::string& site = "east") {
    write({{.when = Time(1s),
            .site = site,
            .job = std::stoi(job.ref),
            .what = "ended",
            .detail = ended_json(job)}});
  }
  Trace read(const TraceOptions& options = {}) {
    auto trace = read_journal_trace(path(), options);
    EXPECT_TRUE(trace) << trace.error().message;
    return trace ? *std::move(trace) : Trace{};
  }
  std::string trouble(const TraceOptions& options = {}) {
    const auto trace = read_journal_trace(path(), options);
    EXPECT_FALSE(trace);
    return trace ? "" : trace.error().message;
  }

  std::filesystem::path folder_;
};

EndedRun run(std::chrono::seconds from, std::chrono::seconds until, std::uint32_t gpus = 4) {
  return {
      .started = Time(from), .ended = Time(until), .gpus = gpus, .nodes = {"n1"}, .type = "a100"};
}

EndedJob job(const char* ref, std::vector<EndedRun> runs) {
  return {.ref = ref,
          .user = "alice",
          .partition = "main",
          .submitted = Time(100s),
          .gpus = 4,
          .runs = std::move(runs)};
}

TEST_F(JournalTraceTest, takes_a_job_as_it_ran) {
  EndedJob ended = job("7", {run(160s, 220s)});
  ended.time_limit = 10min;
  ended.gpu_type = "a100";
  ended.priority = 3;
  ended.deadline = Time(1000s);
  write_end(ended);
  const Trace trace = read();
  ASSERT_EQ(trace.jobs.size(), 1u);
  const TracedJob& traced = trace.jobs[0];
  EXPECT_EQ(traced.job.name, "7");
  EXPECT_EQ(traced.job.submitted, Time(100s));
  EXPECT_EQ(traced.job.gpus, 4u);
  EXPECT_EQ(traced.job.requested, 10min);
  EXPECT_EQ(traced.job.deadline, Time(1000s));
  EXPECT_EQ(traced.job.group, "main");
  EXPECT_EQ(traced.actual, 60s);
  EXPECT_EQ(traced.gpu_spec, "a100");
  ASSERT_EQ(traced.runs.size(), 1u);
  EXPECT_EQ(traced.runs[0].site, "east");
}

TEST_F(JournalTraceTest, adds_up_runs_without_what_starting_again_took) {
  write_end(job("7", {run(100s, 160s), run(200s, 290s, 2)}));
  EXPECT_EQ(read().jobs[0].actual, 150s);
  const Trace trace = read({.restart = 30s});
  EXPECT_EQ(trace.jobs[0].actual, 60s + 60s);
  EXPECT_EQ(trace.jobs[0].runs[1].gpus, 2u);
  EXPECT_NE(trace.report.notes.front().find("1 jobs ran on more or fewer GPUs"), std::string::npos);
}

TEST_F(JournalTraceTest, a_change_of_clock_is_no_new_start) {
  std::vector<EndedRun> runs{run(100s, 160s), run(160s, 200s)};
  runs[1].clock_mhz = 900;
  write_end(job("7", runs));
  const Trace trace = read({.restart = 30s});
  EXPECT_EQ(trace.jobs[0].actual, 100s);
  EXPECT_EQ(trace.jobs[0].runs[1].clock_mhz, 900u);
}

TEST_F(JournalTraceTest, a_change_of_clock_while_it_starts_again_does_not_shorten_that) {
  std::vector<EndedRun> runs{run(100s, 160s), run(200s, 210s), run(210s, 300s)};
  runs[2].clock_mhz = 900;
  write_end(job("7", runs));
  const Trace trace = read({.restart = 30s});
  EXPECT_EQ(trace.jobs[0].runs[1].worked, 0s);
  EXPECT_EQ(trace.jobs[0].runs[2].worked, 70s);
}

TEST_F(JournalTraceTest, work_that_was_lost_does_not_count) {
  std::vector<EndedRun> runs{run(100s, 160s), run(200s, 290s), run(300s, 340s)};
  runs[0].done = 50;
  runs[1].done = 50;  // its node broke before it had saved anything
  runs[2].done = 80;
  write_end(job("7", runs));
  EXPECT_EQ(read({.restart = 10s}).jobs[0].actual, 60s + 30s);
}

TEST_F(JournalTraceTest, a_job_without_checkpoints_begins_anew) {
  EndedJob pinned = job("7", {run(100s, 160s), run(200s, 290s)});
  pinned.pinned = true;
  write_end(pinned);
  const Trace trace = read({.restart = 30s});
  EXPECT_EQ(trace.jobs[0].actual, 90s);
  EXPECT_EQ(trace.report.notes.front(),
            "1 jobs without checkpoints were started more than once: their last run counts");
}

TEST_F(JournalTraceTest, names_the_site_where_there_are_several) {
  write_end(job("7", {run(160s, 220s)}));
  write_end(job("7", {run(160s, 220s)}), "west");
  const Trace trace = read();
  EXPECT_EQ(trace.jobs[0].job.name, "east/7");
  EXPECT_EQ(trace.jobs[1].job.name, "west/7");
}

TEST_F(JournalTraceTest, an_end_that_is_told_twice_counts_once) {
  write_end(job("7", {run(160s, 220s)}));
  write_end(job("7", {run(160s, 221s)}));
  const Trace trace = read();
  ASSERT_EQ(trace.jobs.size(), 1u);
  EXPECT_EQ(trace.jobs[0].actual, 61s);
  EXPECT_EQ(trace.report.left_out[0].reason, "ended: told again later");
}

TEST_F(JournalTraceTest, counts_jobs_that_have_not_ended_or_never_ran) {
  write({{.site = "east", .job = 8, .what = "submitted", .detail = "{}"},
         {.site = "east", .job = 9, .what = "submitted", .detail = "{}"}});
  write_end(job("7", {run(160s, 220s)}));
  write_end(job("9", {}));
  const Trace trace = read();
  EXPECT_EQ(trace.report.notes.back(),
            "1 job had not ended when the journal was read, and is left out");
  EXPECT_EQ(trace.report.left_out[0].reason, "runs: none, the job never ran");
}

TEST_F(JournalTraceTest, is_read_while_the_daemon_writes) {
  auto daemon = Journal::open(path());
  ASSERT_TRUE(daemon);
  std::vector<JournalEntry> entries{{.site = "east",
                                     .job = 7,
                                     .what = "ended",
                                     .detail = ended_json(job("7", {run(160s, 220s)}))}};
  ASSERT_TRUE(daemon->write(entries, {}));
  EXPECT_EQ(read().jobs.size(), 1u);
  entries[0].job = 8;
  entries[0].detail = ended_json(job("8", {run(160s, 220s)}));
  ASSERT_TRUE(daemon->write(entries, {}));
  EXPECT_EQ(read().jobs.size(), 2u);
}

TEST_F(JournalTraceTest, is_not_changed_by_reading) {
  write_end(job("7", {run(160s, 220s)}));
  const auto before = std::filesystem::last_write_time(path());
  (void)read();
  EXPECT_EQ(std::filesystem::last_write_time(path()), before);
}

TEST_F(JournalTraceTest, bad_entries_are_named_or_counted) {
  write_end(job("7", {run(160s, 220s)}));
  write({{.site = "east", .job = 8, .what = "ended", .detail = "{\"ref\": "}});
  EXPECT_EQ(trouble(), file() + ":entry[2]: detail: is not an object of JSON");
  const Trace trace = read({.strict = false});
  EXPECT_EQ(trace.jobs.size(), 1u);
  EXPECT_EQ(trace.report.bad[0].reason, "detail: not valid JSON");
}

TEST_F(JournalTraceTest, refuses_what_is_no_journal) {
  EXPECT_EQ(trouble(), file() + ": no such file");
  std::ofstream(path()) << "";
  EXPECT_EQ(trouble(), file() + ": is not a journal; possible: the SQLite file of penstock serve");
  std::ofstream(path()) << "This is a text, and by no means a database.\n";
  EXPECT_EQ(trouble(), file() + ": database: file is not a database");
}

TEST_F(JournalTraceTest, refuses_one_without_jobs_or_of_a_later_version) {
  write(std::vector<JournalEntry>{});
  EXPECT_EQ(trouble(), file() + ": has no jobs");
  const auto past = read_recorded_outcomes(path());
  ASSERT_TRUE(past);
  EXPECT_TRUE(past->empty());
  auto database = Database::open(path());
  ASSERT_TRUE(database && database->execute("PRAGMA user_version = 99"));
  EXPECT_EQ(trouble(), file() +
                           ": the journal is of version 99, this program knows 2; a later Penstock "
                           "wrote it");
}

TEST_F(JournalTraceTest, tells_what_became_of_each_job) {
  EndedJob ended = job("7", {run(160s, 220s), run(230s, 300s)});
  ended.energy_j = 5;
  ended.cost = 2;
  write_end(ended);
  const auto past = read_recorded_outcomes(path());
  ASSERT_TRUE(past);
  const RecordedOutcome& seven = past->at("7");
  EXPECT_EQ(seven.first_start, Time(160s));
  EXPECT_EQ(seven.finish, Time(300s));
  EXPECT_EQ(seven.energy_j, 5);
  EXPECT_EQ(seven.cost, 2);
}

TEST_F(JournalTraceTest, tells_how_the_daemon_began) {
  write({{.when = Time(5s),
          .what = "began",
          .detail = R"({"mode": "shadow", "policy": "fifo", "options": {"backfill": "easy"},
                        "scenario": "seed = 7"})"}});
  const auto all = read_daemon_starts(path());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->back().when, Time(5s));
  EXPECT_EQ(all->back().mode, "shadow");
  EXPECT_EQ(all->back().options.at("backfill"), "easy");
  EXPECT_EQ(all->back().scenario, "seed = 7");
}

TEST_F(JournalTraceTest, a_beginning_that_cannot_be_read_is_named) {
  write(std::vector<JournalEntry>{});
  EXPECT_EQ(read_daemon_starts(path()).error().message,
            file() + ": has no entry 'began', so no scenario");
  write({{.what = "began", .detail = R"({"mode": "live", "policy": 5})"}});
  EXPECT_EQ(read_daemon_starts(path()).error().message,
            file() + ":entry[1]: policy: is not a text");
}

}  // namespace
}  // namespace penstock
