#include "page/stored/run.h"

#include <gtest/gtest.h>

#include <array>

#include "report/files/summary_json.h"

namespace penstock {
namespace {

PageSource source_with(const std::vector<RunSummary>& runs) {
  return {.shown = "results", .summary = summary_json({.version = "0.1.0"}, runs)};
}

TEST(StoredSource, has_the_runs_of_a_summary) {
  const auto stored = read_source(
      source_with({{.policy = "fifo", .jct_mean_s = 5, .sites = {{.name = "paris"}}}}), 3);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_EQ(stored->runs.size(), 1u);
  EXPECT_EQ(stored->runs[0].source, 3u);
  EXPECT_EQ(stored->runs[0].measures["jct_mean_s"], 5);
  EXPECT_EQ(stored->runs[0].site_names, std::vector<std::string>{"paris"});
  EXPECT_FALSE(stored->runs[0].dir);
}

TEST(StoredSource, refuses_a_folder_outside_the_results) {
  PageSource source = source_with({{.policy = "fifo", .dir = "../elsewhere"}});
  source.files = "results";
  const auto stored = read_source(source, 0);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().message, "results/summary.json: dir: '../elsewhere' is not below it");
}

TEST(RunLabels, are_made_to_differ) {
  std::array<StoredRun, 3> runs;
  runs[0].summary = {.policy = "sjf", .options = {{"backfill", "easy"}}};
  runs[1].summary = {.policy = "fifo"};
  runs[2].summary = {.policy = "fifo"};
  const std::array<PageSource, 1> sources{};
  assign_labels(runs, sources);
  EXPECT_EQ(runs[0].label, "sjf backfill=easy");
  EXPECT_EQ(runs[1].label, "fifo");
  EXPECT_EQ(runs[2].label, "fifo #2");
}

TEST(RunTables, are_not_read_of_a_run_without_files) {
  const auto tables = read_tables({});
  ASSERT_TRUE(tables);
  EXPECT_FALSE(tables->jobs);
  EXPECT_TRUE(tables->notes.empty());
}

TEST(RunTables, say_what_older_versions_did_not_write) {
  StoredRun run;
  run.shown_dir = "results";
  const auto tables = parse_tables(run, {});
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->notes.size(), 2u);
  EXPECT_EQ(tables->notes[1], "results has no timeline.csv.");
}

}  // namespace
}  // namespace penstock
