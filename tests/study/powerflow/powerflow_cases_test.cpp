#include "study/powerflow/powerflow_cases.h"

#include <gtest/gtest.h>

#include <fstream>

namespace penstock {
namespace {

std::filesystem::path cases_file(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "powerflow_cases.toml";
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kTrace = "[[trace]]\nname = \"a\"\nfile = \"../a.gz\"\nformat = \"gavel\"\n";

TEST(PowerflowCases, are_every_trace_of_a_group_at_every_load) {
  const auto path = cases_file(std::string(kTrace) +
                               "[[trace]]\nname = \"b\"\nfile = \"b\"\nformat = \"pollux\"\n"
                               "[[report]]\ncluster = \"one\"\ntraces = [\"a\", \"b\"]\n"
                               "loads = [0.3, 0.9]\nseed = 5\nfronts = true\nablations_at = 0.9\n"
                               "[[report]]\ncluster = \"two\"\ntraces = [\"b\"]\nloads = [1.0]\n"
                               "seed = 6\n");
  const auto cases = read_powerflow_cases(path, "report");
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->size(), 5u);
  const PowerflowCaseSpec& second = (*cases)[1];
  EXPECT_EQ(second.cluster, "one");
  EXPECT_EQ(second.trace, "a");
  EXPECT_EQ(second.file, "../a.gz");
  EXPECT_EQ(second.load, 0.9);
  EXPECT_EQ(second.seed, 5u);
  EXPECT_TRUE(second.fronts && second.ablations);
  EXPECT_FALSE(cases->front().ablations);
  EXPECT_EQ(cases->back().format, "pollux");
  EXPECT_FALSE(cases->back().fronts);
  EXPECT_TRUE(read_powerflow_cases(path, "tuning")->empty());
}

TEST(PowerflowCases, say_everything_that_is_wrong) {
  const auto path = cases_file(std::string(kTrace) + kTrace +
                               "[[report]]\ncluster = \"one\"\ntraces = [\"c\"]\nloads = [0]\n"
                               "sed = 7\n[[tuning]]\ncluster = \"one\"\nseed = 1\n"
                               "traces = \"a\"\nloads = []\n");
  const auto cases = read_powerflow_cases(path, "report");
  ASSERT_FALSE(cases);
  const std::string& said = cases.error().message;
  for (const char* part :
       {"is there twice", "there is no [[trace]] 'c'", "are not all above 0 and at most 10",
        "'seed'", "is not a list of names of traces", "is not a list of numbers"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in:\n" << said;
}

TEST(PowerflowCases, that_are_shipped_report_no_trace_on_which_the_policy_was_tuned) {
  const std::filesystem::path path = PENSTOCK_ROOT "/data/studies/powerflow/cases.toml";
  const auto tuning = read_powerflow_cases(path, "tuning");
  ASSERT_TRUE(tuning) << tuning.error().message;
  for (const char* group : {"report", "quick"}) {
    const auto cases = read_powerflow_cases(path, group);
    ASSERT_TRUE(cases) << cases.error().message;
    EXPECT_FALSE(cases->empty());
    for (const PowerflowCaseSpec& reported : *cases)
      for (const PowerflowCaseSpec& tuned : *tuning) EXPECT_NE(reported.trace, tuned.trace);
  }
}

}  // namespace
}  // namespace penstock
