#include "journal/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "journal/journal_reader.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A folder that is gone afterwards.
class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "journal-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "journal.sqlite"; }

  static JournalEntry entry(int second, std::int64_t job, const char* what) {
    return {.when = Time(std::chrono::seconds(second)),
            .site = "east",
            .job = job,
            .what = what,
            .detail = "{}"};
  }
  static JournalRequest request(int second, std::int64_t job, const char* verb) {
    return {.when = Time(std::chrono::seconds(second)),
            .site = "east",
            .job = job,
            .verb = verb,
            .detail = "{}",
            .reason = "it fits"};
  }

  std::filesystem::path folder_;
};

TEST_F(JournalTest, gives_back_what_was_written) {
  auto journal = Journal::open(path());
  ASSERT_TRUE(journal) << journal.error().message;
  std::vector<JournalEntry> entries{entry(1, 7, "submitted"), entry(2, 8, "submitted")};
  std::vector<JournalRequest> requests{request(3, 7, "release")};
  ASSERT_TRUE(journal->write(entries, requests));
  EXPECT_EQ(entries[1].id, 2);
  ASSERT_TRUE(journal->answer(requests[0].id, RequestState::confirmed, "runs", Time(4s)));
  journal = Journal::open(path());  // as after a restart
  ASSERT_TRUE(journal);
  const auto seen = journal->entries("east", 7);
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(seen->front().what, "submitted");
  EXPECT_EQ(seen->front().when, Time(1s));
  const auto asked = journal->requests("east", 7);
  ASSERT_TRUE(asked);
  ASSERT_EQ(asked->size(), 1u);
  EXPECT_EQ(asked->front().reason, "it fits");
  EXPECT_EQ(asked->front().state, RequestState::confirmed);
  EXPECT_EQ(asked->front().answered, Time(4s));
  EXPECT_TRUE(journal->entries("west")->empty());
  EXPECT_EQ(journal->entries()->size(), 2u);
}

TEST_F(JournalTest, knows_which_requests_were_never_answered) {
  auto journal = Journal::open(path());
  std::vector<JournalRequest> requests{request(1, 1, "release"), request(1, 2, "release")};
  ASSERT_TRUE(journal->write({}, requests));
  ASSERT_TRUE(journal->answer(requests[0].id, RequestState::refused, "no", Time(2s)));
  const auto open = journal->open_requests();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->size(), 1u);
  EXPECT_EQ(open->front().job, 2);
}

TEST_F(JournalTest, takes_every_text_as_text) {
  auto journal = Journal::open(path());
  const std::string hostile = "'; DROP TABLE entries; --\n\"\\ ü " + std::string(20'000, 'x');
  std::vector<JournalEntry> entries{entry(1, 1, "seen")};
  entries[0].detail = hostile;
  entries[0].site = hostile;
  ASSERT_TRUE(journal->write(entries, {}));
  EXPECT_EQ(journal->entries(hostile)->front().detail, hostile);
}

TEST_F(JournalTest, forgets_what_is_old_but_nothing_that_is_open) {
  auto journal = Journal::open(path());
  std::vector<JournalEntry> entries{entry(1, 1, "old"), entry(9, 1, "new")};
  std::vector<JournalRequest> requests{request(1, 1, "open"), request(1, 2, "done")};
  ASSERT_TRUE(journal->write(entries, requests));
  ASSERT_TRUE(journal->answer(requests[1].id, RequestState::confirmed, "", Time(2s)));
  ASSERT_TRUE(journal->delete_before(Time(5s)));
  ASSERT_EQ(journal->entries()->size(), 1u);
  EXPECT_EQ(journal->entries()->front().what, "new");
  ASSERT_EQ(journal->requests()->size(), 1u);
  EXPECT_EQ(journal->requests()->front().verb, "open");
}

/// How SQLite would find the rows of a statement.
std::string plan_of(const std::filesystem::path& path, const std::string& sql) {
  const auto database = Database::open_to_read(path);
  auto plan = database->prepare("EXPLAIN QUERY PLAN " + sql);
  std::string text;
  while (*plan->step()) text += plan->text(3) + "\n";
  return text;
}

TEST_F(JournalTest, of_the_first_version_is_brought_up_to_date_with_all_that_is_in_it) {
  {
    auto journal = Journal::open(path());
    std::vector<JournalEntry> entries{entry(1, 7, "submitted"), entry(2, 7, "would")};
    ASSERT_TRUE(journal->write(entries, {}));
    const auto database = Database::open(path());  // as the first version left it
    ASSERT_TRUE(
        database->execute("DROP INDEX entries_of_word; DROP INDEX ends_of_refs;"
                          "PRAGMA user_version = 1"));
  }
  {
    auto reader = JournalReader::open(path());  // changes nothing, and reads it all the same
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->last_entries("would", 10, std::nullopt)->size(), 1u);
  }
  auto journal = Journal::open(path());
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(journal->entries()->size(), 2u);
  EXPECT_EQ(journal->latest_entries("would", 10)->front().when, Time(2s));
  auto version = Database::open_to_read(path())->prepare("PRAGMA user_version");
  ASSERT_TRUE(*version->step());
  EXPECT_EQ(version->whole(0), Journal::kVersion);
}

TEST_F(JournalTest, the_latest_entries_with_a_word_were_looked_for_among_all) {
  ASSERT_TRUE(Journal::open(path()));
  EXPECT_EQ(plan_of(path(), "SELECT detail FROM entries WHERE what = ? ORDER BY id DESC LIMIT ?"),
            "SEARCH entries USING INDEX entries_of_word (what=?)\n");
}

TEST_F(JournalTest, of_a_later_version_is_refused) {
  ASSERT_TRUE(Journal::open(path()));
  {
    const auto database = Database::open(path());
    ASSERT_TRUE(database->execute("PRAGMA user_version = 99"));
  }
  const auto journal = Journal::open(path());
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("version 99"), std::string::npos);
  EXPECT_NE(journal.error().message.find(path().string()), std::string::npos);
}

TEST_F(JournalTest, that_is_no_database_is_an_error_and_left_alone) {
  std::ofstream(path()) << "this is a letter to my aunt, and it is long enough to be a header";
  const auto journal = Journal::open(path());
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("journal.sqlite"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path()), 65u);
}

TEST_F(JournalTest, in_a_folder_that_is_not_there_is_an_error) {
  const auto journal = Journal::open(folder_ / "nowhere" / "journal.sqlite");
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("nowhere"), std::string::npos);
}

TEST_F(JournalTest, on_a_full_disk_writes_nothing_and_goes_on_when_there_is_room) {
  auto journal = Journal::open(path());
  std::vector<JournalEntry> few{entry(1, 1, "first")};
  ASSERT_TRUE(journal->write(few, {}));
  std::vector<JournalEntry> many(50, entry(2, 2, "second"));
  for (JournalEntry& one : many) one.detail = std::string(100'000, 'x');
  rlimit saved{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &saved), 0);
  const rlimit small{300'000, saved.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failed = journal->write(many, {});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &saved), 0);
  EXPECT_FALSE(failed);
  EXPECT_EQ(journal->entries()->size(), 1u);
  ASSERT_TRUE(journal->write(many, {}));
  EXPECT_EQ(journal->entries()->size(), 51u);
}

/// A process writes as fast as it can and is killed; what it was told was written is there.
TEST_F(JournalTest, keeps_what_was_written_through_a_kill) {
  for (int round = 0; round < 10; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto journal = Journal::open(path());
      for (std::int64_t i = 0; journal; ++i) {
        std::vector<JournalEntry> entries{entry(round, i, "seen"), entry(round, i, "again")};
        std::vector<JournalRequest> requests{request(round, i, "release")};
        if (!journal->write(entries, requests)) break;
        if (write(told[1], &i, sizeof i) != sizeof i) break;
      }
      _exit(1);
    }
    std::int64_t last = -1;
    for (int i = 0; i <= 3 * round; ++i) ASSERT_EQ(read(told[0], &last, sizeof last), 8);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(told[1]);
    while (read(told[0], &last, sizeof last) == 8) continue;
    close(told[0]);
    auto journal = Journal::open(path());
    ASSERT_TRUE(journal);
    const auto entries = journal->entries("east", last);
    ASSERT_TRUE(entries);
    EXPECT_EQ(entries->size() % 2, 0u);  // both or none
    const std::size_t all = journal->entries()->size();
    EXPECT_EQ(journal->requests()->size() * 2, all);
    EXPECT_FALSE(entries->empty());
  }
}

}  // namespace
}  // namespace penstock
