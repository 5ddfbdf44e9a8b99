#include "serve/api/pooled_job.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Pooled, a_job_is_followed_to_the_site_that_took_it_last) {
  std::string pattern = testing::TempDir() + "pooled-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  auto journal = Journal::open(std::filesystem::path(pattern) / "journal.db");
  ASSERT_TRUE(journal);
  std::vector<JournalEntry> entries{
      {.what = "pooled", .detail = R"({"pool":1})"},
      {.site = "east", .what = "not taken", .detail = R"({"pool":1})"},
      {.what = "pooled", .detail = R"({"pool":2})"},
      {.site = "west", .job = 7, .what = "placed", .detail = R"({"pool":1})"},
      {.site = "west", .job = 8, .what = "placed", .detail = "not JSON"},
      {.site = "west", .job = 7, .what = "ended", .detail = R"({"pool":1})"}};
  ASSERT_TRUE(journal->write(entries, {}));
  const auto placed = find_placed_job(*journal, 1);
  ASSERT_TRUE(placed && *placed);
  EXPECT_EQ((*placed)->site, "west");
  EXPECT_EQ((*placed)->number, 7);
  EXPECT_EQ(*find_placed_job(*journal, 2), std::nullopt) << "it waits";
  EXPECT_EQ(journal->pool_entries(1)->size(), 3u);
  EXPECT_EQ(*JournalReader::open(std::filesystem::path(pattern) / "journal.db")->jobs_in_pool(), 1u)
      << "the second";
  std::filesystem::remove_all(pattern);
}

TEST(Pooled, only_a_whole_number_behind_the_word_names_one) {
  EXPECT_EQ(parse_pool_id("pool/12"), 12);
  for (const char* id : {"pool/", "pool/x", "pool/1x", "east/1", "12"})
    EXPECT_EQ(parse_pool_id(id), std::nullopt) << id;
}

}  // namespace
}  // namespace penstock
