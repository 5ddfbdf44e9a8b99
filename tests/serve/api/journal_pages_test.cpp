#include "serve/api/journal_pages.h"

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
  std::string listed(const ApiQuery& look, const std::optional<NumberedJob>& about = {}) const {
    const ApiResponse answer = decisions_page(folder_ / "journal.db", look, about);
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
  const ApiQuery one{.page = "decisions", .parameters = {{"limit", "1"}}};
  EXPECT_EQ(listed(one, NumberedJob{"east", 7}), "east/7 would, ");
  EXPECT_EQ(listed({}, NumberedJob{"east", 7}), "east/7 would, east/7 sent, ");
  EXPECT_EQ(listed({}, NumberedJob{"west", 9}), "");
}

TEST_F(DecisionsPage, without_a_journal_says_so) {
  EXPECT_EQ(decisions_page(folder_ / "none.db", {}, {}).status, 503);
}

}  // namespace

namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

using nlohmann::json;

constexpr const char* kDetail =
    R"({"text":"ended","ref":"12","name":"resnet","user":"ada","partition":"gpu","state":"completed","exit_code":0,)"
    R"("submitted_ms":1794838210000,"gpus":2,"kind":"","priority":null,"deadline_ms":null,)"
    R"("runs":[{"started_ms":1794838212000,"ended_ms":1794838214000,"gpus":2,"nodes":["n1"],"type":"a","clock_mhz":1410},)"
    R"({"started_ms":1794838220000,"ended_ms":1794838223000,"gpus":4,"nodes":["n2"],"type":"a","clock_mhz":1200}],)"
    R"("energy_j":3120.0,"cost":0.25,"carbon_g":0.5,"predicted_cost":null})";

class EndedPage : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ended-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The page after these jobs, each with how long ago it ended.
  json page(const std::vector<std::pair<int, Duration>>& jobs, const ApiQuery& look) const {
    auto journal = Journal::open(folder_ / "journal.db");
    const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    std::vector<JournalEntry> entries;
    for (const auto& [number, ago] : jobs) {
      json detail = json::parse(kDetail);
      detail["ref"] = std::to_string(number);
      detail["user"] = number % 2 == 0 ? "ada" : "bob";
      entries.push_back({.when = now - ago,
                         .site = "east",
                         .job = number,
                         .what = "ended",
                         .detail = detail.dump()});
      entries.push_back({.when = now - ago, .site = "east", .job = number, .what = "run"});
    }
    EXPECT_TRUE(journal->write(entries, {}));
    const ApiResponse answer = ended_page(folder_ / "journal.db", look, "EUR");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }
  static std::vector<int> numbers(const json& page) {
    std::vector<int> all;
    for (const json& job : page["jobs"]) all.push_back(job["job"]);
    return all;
  }
  std::filesystem::path folder_;
};

TEST_F(EndedPage, a_clock_that_nobody_knows_was_0_mhz) {
  json detail = json::parse(kDetail);
  detail["runs"][1]["clock_mhz"] = 0;
  const auto row = ended_row({.site = "east", .job = 12, .detail = detail.dump()}, "EUR");
  ASSERT_TRUE(row);
  EXPECT_TRUE((*row)["clock_mhz"].is_null());
}

TEST_F(EndedPage, a_row_has_the_bill_that_explain_did_not_show) {
  const auto row = ended_row(
      {.when = Time(1794838225s), .site = "east", .job = 12, .what = "ended", .detail = kDetail},
      "EUR");
  ASSERT_TRUE(row);
  EXPECT_EQ((*row)["id"], "east/12");
  EXPECT_EQ((*row)["state"], "ended");
  EXPECT_EQ((*row)["outcome"], "completed");
  EXPECT_EQ((*row)["gpus"], 4);
  EXPECT_EQ((*row)["gpus_asked"], 2);
  EXPECT_EQ((*row)["nodes"], json::array({"n2"}));
  EXPECT_EQ((*row)["runs"], 2);
  EXPECT_EQ((*row)["wait_s"], 2.0);
  EXPECT_EQ((*row)["run_s"], 5.0);
  EXPECT_EQ((*row)["energy_j"], 3120.0);
  EXPECT_EQ((*row)["cost"], 0.25);
  EXPECT_EQ((*row)["carbon_g"], 0.5);
  EXPECT_TRUE((*row)["predicted_cost"].is_null());
  EXPECT_EQ((*row)["currency"], "EUR");
  EXPECT_EQ((*row)["ended"], format_time(Time(1794838223s)));
}

TEST_F(EndedPage, jobs_were_forgotten_within_a_poll) {
  const json all = page({{1, 30h}, {2, 23h}, {3, 1h}, {4, 1s}}, {});
  EXPECT_EQ(numbers(all), (std::vector<int>{4, 3, 2})) << "the latest first, of a day";
  EXPECT_EQ(all["more"], false);
}

TEST_F(EndedPage, can_be_asked_for_longer_for_some_or_for_few) {
  const ApiQuery look{.page = "ended", .parameters = {{"hours", "48"}, {"user", "bob"}}};
  EXPECT_EQ(numbers(page({{1, 30h}, {2, 23h}, {3, 1h}}, look)), (std::vector<int>{3, 1}));
  const json few = page({}, {.page = "ended", .parameters = {{"limit", "1"}}});
  EXPECT_EQ(numbers(few), (std::vector<int>{3}));
  EXPECT_EQ(few["more"], true);
}

TEST_F(EndedPage, what_cannot_be_read_is_passed_over) {
  EXPECT_FALSE(ended_row({.what = "ended", .detail = "rubbish"}, ""));
  const auto bare = ended_row({.site = "east", .what = "ended", .detail = "{}"}, "");
  ASSERT_TRUE(bare);
  EXPECT_TRUE((*bare)["cost"].is_null());
}

}  // namespace

}  // namespace penstock
