#include "serve/api/job_pages.h"

#include "serve/two_sites.h"

namespace penstock {
namespace {

using nlohmann::json;

class JobPagesTest : public TwoSites {
 protected:
  json jobs(std::map<std::string, std::string, std::less<>> parameters) {
    return parsed(pages.jobs({.page = "jobs", .parameters = std::move(parameters)}, kNoon));
  }
  /// The ids of those that are shown.
  std::string ids(std::map<std::string, std::string, std::less<>> parameters) {
    const json page = jobs(std::move(parameters));
    std::string text;
    for (const json& row : page["jobs"]) text += row["id"].get<std::string>() + " ";
    return text;
  }
  ApiResponse job(const std::string& id) { return pages.job({.page = "job", .id = id}, kNoon); }
  /// What was told since the last call, a word and an id for each.
  std::string told() {
    std::string text;
    for (const FeedEvent& event : feed.wait_after(heard, Duration(1)).events) {
      const json line = json::parse(event.json);
      heard = event.id;
      text += event.event + " " +
              (line.contains("id")
                   ? line["id"].get<std::string>() + " " + line["state"].get<std::string>()
                   : line["changed"].dump()) +
              "; ";
    }
    return text;
  }

  JobPages pages{needs};
  std::uint64_t heard = 0;
};

TEST_F(JobPagesTest, show_those_who_are_asked_for) {
  show(0, {waiting(1, "ann"), running(2)});
  show(1, {waiting(1, "bob")});
  EXPECT_EQ(ids({}), "east/1 east/2 west/1 ");
  EXPECT_EQ(ids({{"site", "west"}}), "west/1 ");
  EXPECT_EQ(ids({{"state", "running"}}), "east/2 ");
  EXPECT_EQ(ids({{"user", "ann"}, {"state", "queued"}}), "east/1 ");
  EXPECT_EQ(ids({{"site", "north"}}), "");
}

TEST_F(JobPagesTest, count_also_those_whom_they_leave_out) {
  show(0, {waiting(1), waiting(2), waiting(3)});
  EXPECT_EQ(ids({{"after", "1"}, {"limit", "1"}}), "east/2 ");
  EXPECT_EQ(jobs({{"after", "1"}, {"limit", "1"}})["total"], 3);
  EXPECT_EQ(ids({{"after", "3"}}), "");
  EXPECT_EQ(jobs({{"limit", "0"}})["total"], 3);
}

TEST_F(JobPagesTest, show_named_jobs_in_the_order_of_their_names) {
  show(0, {waiting(1), waiting(2)});
  show(1, {waiting(3)});
  EXPECT_EQ(ids({{"ids", "west/3,east/1,east/9,nonsense"}}), "west/3 east/1 ");
  EXPECT_EQ(ids({{"ids", "3"}}), "west/3 ");
  EXPECT_EQ(ids({{"ids", ""}}), "");
}

TEST_F(JobPagesTest, say_the_same_in_columns) {
  show(0, {waiting(1), running(2)});
  feed.push("job", "{}");
  const json columns = jobs({{"format", "columns"}});
  EXPECT_EQ(columns["total"], 2);
  EXPECT_EQ(columns["event"], 1) << "who follows live goes on from there";
  EXPECT_EQ(columns["columns"]["id"], json({"east/1", "east/2"}));
  EXPECT_EQ(columns["columns"]["state"], json({"queued", "running"}));
}

TEST_F(JobPagesTest, tell_the_life_of_one_job) {
  show(0, {waiting(1)});
  const ApiResponse page = job("east/1");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(parsed(page)["job"]["id"], "east/1");
  EXPECT_EQ(parsed(page)["job"]["state"], "queued");
  EXPECT_TRUE(parsed(page)["life"].is_array());
}

TEST_F(JobPagesTest, know_a_job_that_only_the_journal_knows_by_its_number) {
  std::vector<JournalEntry> entries{
      {.when = kNoon, .site = "west", .job = 7, .what = "seen", .detail = R"({"text":"hello"})"}};
  ASSERT_TRUE(journal.write(entries, {}));
  const json page = parsed(job("west/7"));
  EXPECT_EQ(page["job"]["state"], "ended");
  EXPECT_EQ(page["job"]["job"], 7);
  ASSERT_EQ(page["life"].size(), 1u);
  EXPECT_EQ(page["life"][0]["text"], "hello");
}

TEST_F(JobPagesTest, know_nothing_of_other_jobs) {
  EXPECT_EQ(job("west/7").status, 404);
  EXPECT_EQ(parsed(job("west/7"))["error"],
            "there is no job 'west/7', and the journal knows of none");
  EXPECT_EQ(job("north/7").status, 404);
  EXPECT_EQ(job("pool/3").status, 404);
}

TEST_F(JobPagesTest, tell_of_changes_once) {
  show(0, {waiting(1)});
  pages.publish_changes(kNoon);
  EXPECT_EQ(told(), "") << "nobody knows of anything before";
  show(0, {running(1), waiting(2)});
  pages.publish_changes(kNoon);
  EXPECT_EQ(told(), "job east/1 running; job east/2 queued; ");
  pages.publish_changes(kNoon);
  EXPECT_EQ(told(), "");
}

TEST_F(JobPagesTest, tell_only_how_many_if_too_many_have_changed) {
  look_at_clusters();
  pages.publish_changes(kNoon);
  std::vector<FakeJob> many;
  for (int i = 1; i <= 201; ++i) many.push_back(waiting(i));
  show(1, many);
  pages.publish_changes(kNoon);
  EXPECT_EQ(told(), "jobs 201; ");
}

}  // namespace
}  // namespace penstock
