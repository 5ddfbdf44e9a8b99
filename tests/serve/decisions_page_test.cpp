#include "serve/decisions_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

using nlohmann::json;

/// A journal in which two clusters have a job 7.
class DecisionsPage : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "decisions-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto journal = Journal::open(folder_ / "journal.db");
    ASSERT_TRUE(journal);
    std::vector<JournalRequest> requests{request(1, "east", 7), request(3, "west", 7)};
    std::vector<JournalEntry> entries{would(2, "east", 7), would(4, "west", 8)};
    entries.push_back({.when = Time(5s), .site = "east", .job = 7, .what = "runs", .detail = "{}"});
    ASSERT_TRUE(journal->write(entries, requests));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static JournalRequest request(int second, const char* site, std::int64_t job) {
    return {.when = Time(std::chrono::seconds(second)),
            .site = site,
            .job = job,
            .verb = "start",
            .detail = R"({"nodes":["n1"],"gpus_per_node":2})",
            .reason = "fifo"};
  }
  static JournalEntry would(int second, const char* site, std::int64_t job) {
    return {.when = Time(std::chrono::seconds(second)),
            .site = site,
            .job = job,
            .what = "would",
            .detail = R"({"action":"start","text":"would start","reason":"fifo","why":"shadow"})"};
  }
  /// "west/8 would, …": what the page lists.
  std::string listed(const ApiLook& look, const std::optional<NumberedJob>& about = {}) const {
    const ApiAnswer answer = decisions_page(folder_ / "journal.db", look, about);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const json page = json::parse(answer.body);
    std::string text;
    for (const json& line : page["decisions"])
      text += line["site"].get<std::string>() + "/" + std::to_string(line["job"].get<int>()) + " " +
              line["state"].get<std::string>() + ", ";
    return text;
  }
  std::filesystem::path folder_;
};

TEST_F(DecisionsPage, lists_what_was_done_and_what_would_have_been_the_latest_first) {
  EXPECT_EQ(listed({}), "west/8 would, west/7 sent, east/7 would, east/7 sent, ");
  EXPECT_EQ(listed({.page = "decisions", .parameters = {{"limit", "2"}}}),
            "west/8 would, west/7 sent, ");
}

TEST_F(DecisionsPage, a_job_was_hidden_by_those_of_the_same_number_elsewhere) {
  const ApiLook one{.page = "decisions", .parameters = {{"limit", "1"}}};
  EXPECT_EQ(listed(one, NumberedJob{"east", 7}), "east/7 would, ");
  EXPECT_EQ(listed({}, NumberedJob{"east", 7}), "east/7 would, east/7 sent, ");
  EXPECT_EQ(listed({}, NumberedJob{"west", 9}), "");
}

TEST_F(DecisionsPage, without_a_journal_says_so) {
  EXPECT_EQ(decisions_page(folder_ / "none.db", {}, {}).status, 503);
}

}  // namespace
}  // namespace penstock
