#include "report/stored_summary.h"

#include <gtest/gtest.h>

#include "report/measures.h"

namespace penstock {
namespace {

SummaryHead head() {
  return {.version = "1.2.3",
          .scenario = "a \"b\"",
          .scenario_hash = "00ff",
          .seed = 18446744073709551615u,
          .currency = "EUR",
          .point = {{"key", "abc"}, {"changes", "site.pue=1.1"}}};
}

/// Every other measure has a value, which takes all its digits.
RunSummary run() {
  RunSummary run{.policy = "fifo",
                 .options = {{"backfill", "easy"}},
                 .time_origin = parse_time("2022-03-01T00:00:00.250Z")};
  double value = 0.1;
  for (std::size_t i = 0; i < run_measures().size(); i += 2)
    run.*run_measures()[i].value = value *= 1.7;
  run.sites = {{.name = "east",
                .nodes = 4,
                .energy_kwh = 1.0 / 3,
                .carbon_kind = "average",
                .first_gpu = 0,
                .node_runs = {{4, 8, "a100", 2}, {1, 4, "t4", 1}}},
               {.name = "west"}};
  run.dir = "fifo-backfill=easy";
  return run;
}

TEST(StoredSummary, written_again_is_the_same_text) {
  const std::vector<RunSummary> runs{run(), {.policy = "sjf"}};
  const std::string text = summary_json(head(), runs);
  const auto stored = parse_summary(text);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->head.point, head().point);
  EXPECT_EQ(summary_json(stored->head, stored->runs), text);
}

TEST(StoredSummary, what_is_no_summary_is_refused) {
  for (const char* text : {"", "{", "[]", "7", "{}", R"({"version":"1","runs":{}})",
                           R"({"version":"1","runs":[7]})", R"({"runs":[]})"})
    EXPECT_FALSE(parse_summary(text)) << text;
}

TEST(StoredSummary, values_of_another_kind_are_undefined) {
  const auto stored = parse_summary(
      R"({"version":"1","seed":-1,"point":7,"runs":[{"policy":3,"options":[],"energy_kwh":"x",
          "sites":[7,{"name":"s","energy_kwh":2}],"time_origin":"yesterday"}]})");
  ASSERT_TRUE(stored) << stored.error().message;
  const RunSummary& run = stored->runs.front();
  EXPECT_FALSE(run.energy_kwh || run.time_origin);
  ASSERT_EQ(run.sites.size(), 1u);
  EXPECT_EQ(run.sites.front().energy_kwh, 2);
}

}  // namespace
}  // namespace penstock
