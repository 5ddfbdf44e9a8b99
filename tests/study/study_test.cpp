#include "study/study.h"

#include <gtest/gtest.h>

#include "report/files/summary_json.h"

namespace penstock {
namespace {

TEST(MethodRuns, are_found_by_the_name_that_the_study_gives_them) {
  const std::vector<MethodRun> runs{{"rg", {.jct_mean_s = 1}}, {"rg published", {.jct_mean_s = 2}}};
  EXPECT_EQ(run_of(runs, "rg published").jct_mean_s, 2);
  EXPECT_EQ(find_run(runs, "pr"), nullptr);
}

TEST(StudyRequest, asks_for_every_workload_unless_it_names_some) {
  EXPECT_TRUE(is_wanted({}, "pai"));
  EXPECT_TRUE(is_wanted({.only = {"pai"}}, "pai"));
  EXPECT_FALSE(is_wanted({.only = {"pai"}}, "philly"));
}

TEST(StudyScenarios, say_where_they_should_be) {
  const std::filesystem::path data(PENSTOCK_ROOT "/data");
  EXPECT_TRUE(check_scenario(data / "studies/geo", "pai.toml"));
  const auto there = check_scenario("nowhere/studies/geo", "pai.toml");
  ASSERT_FALSE(there);
  EXPECT_EQ(there.error().message,
            "nowhere/studies/geo: there are no scenarios of the study; run penstock where data/ "
            "is, or name that folder with --data");
}

TEST(StudyPage, has_a_run_for_each_method_and_labels_them) {
  const PageSource source = page_source(
      "server, seed 11", "EUR",
      {{"fifo", {.policy = "andreas", .jct_mean_s = 5}}, {"pr", {.policy = "andreas"}}});
  EXPECT_EQ(source.shown, "server, seed 11");
  EXPECT_EQ(source.labels, (std::vector<std::string>{"fifo", "pr"}));
  const auto summary = parse_summary(source.summary);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->head.currency, "EUR");
  ASSERT_EQ(summary->runs.size(), 2u);
  EXPECT_EQ(summary->runs[0].jct_mean_s, 5);
}

TEST(StudyCsv, leaves_what_is_undefined_empty) {
  EXPECT_EQ(csv_cell(0.1), "0.1");
  EXPECT_EQ(csv_cell(std::nullopt), "");
}

}  // namespace
}  // namespace penstock
