#include "report/files/summary_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/measures/run_summary.h"
#include "report/three_jobs.h"

namespace penstock {
namespace {

const SummaryHead kHead{.version = "0.1.0",
                        .scenario = "three-jobs",
                        .scenario_hash = "00ff",
                        .seed = 18446744073709551615u,
                        .currency = "EUR"};

std::string without_definitions(std::string text) {
  const std::size_t from = text.find("  \"definitions\"");
  return text.erase(from, text.find("  \"runs\"") - from);
}

constexpr auto kWholeRun = R"(
{
  "version": "0.1.0",
  "scenario": "three-jobs",
  "scenario_hash": "00ff",
  "seed": 18446744073709551615,
  "currency": "EUR",
  "runs": [
    {
      "policy": "fifo",
      "options": {
        "backfill": "easy"
      },
      "time_origin": "2022-03-01T00:00:00Z",
      "jobs_submitted": 4,
      "jobs_finished": 3,
      "jobs_unfinished": 1,
      "jobs_killed": 1,
      "jct_mean_s": 123.33333333333333,
      "jct_p50_s": 130,
      "jct_p95_s": 140,
      "jct_p99_s": 140,
      "wait_mean_s": 70,
      "bounded_slowdown_mean": 6.083333333333333,
      "cost_slowdown_mean": 2.131868131868132,
      "makespan_s": 160,
      "workflow_makespan_mean_s": null,
      "gpu_utilization": 0.56875,
      "energy_kwh": 1.75,
      "energy_idle_kwh": 0.5,
      "energy_budget_use": null,
      "energy_cost": 0.5,
      "rent_cost": null,
      "carbon_kg": 0.6,
      "carbon_cost": 0.06,
      "tardiness_mean_s": 10,
      "tardiness_cost": 10,
      "deadline_misses": 1,
      "transfers": 0,
      "transfer_gb": 0,
      "transfer_kwh": 0,
      "transfer_carbon_kg": 0,
      "transfer_cost": 0,
      "total_cost": 10.56,
      "predicted_cost": null,
      "prediction_error": null,
      "prediction_error_job_mean": null,
      "utility": null,
      "relative_cost": null,
      "relative_carbon": null,
      "relative_transfer": null,
      "late_share": null,
      "preemptions": 2,
      "interruptions": 1,
      "resizes": 0,
      "migrations": 0,
      "node_sleeps": 5,
      "decisions": 7,
      "events": 9,
      "bound_jct_mean_s": null,
      "bound_energy_kwh": null,
      "bound_total_cost": null,
      "bound_carbon_kg": null,
      "bound_utility": null,
      "gap_jct": null,
      "gap_energy": null,
      "gap_cost": null,
      "gap_carbon": null,
      "sites": [
        {
          "name": "frankfurt",
          "nodes": 2,
          "gpus": 4,
          "gpu_utilization": 0.56875,
          "energy_kwh": 1.75,
          "energy_jobs_kwh": 1,
          "energy_idle_kwh": 0.5,
          "energy_overhead_kwh": 0.25,
          "energy_cost": 0.5,
          "rent_cost": null,
          "carbon_kg": 0.6,
          "transfer_gb": 0,
          "transfer_kwh": 0,
          "transfer_carbon_kg": 0,
          "transfer_cost": 0
        }
      ],
      "decision_mean_us": 4,
      "decision_p99_us": 9,
      "wall_s": 0.5,
      "jobs_per_s": 6,
      "peak_rss_mb": 12.5
    }
  ]
}
)";

TEST(SummaryJson, is_the_whole_run_in_a_fixed_order_with_the_wall_clock_last) {
  RunTotals totals = ThreeJobs().totals();
  for (const int ns : {1000, 2000, 9000}) totals.decision_ns.add(ns);
  totals.wall_s = 0.5;
  totals.peak_rss_mb = 12.5;
  const std::vector<RunSummary> runs{ThreeJobs().metrics().summary(totals)};
  EXPECT_EQ("\n" + without_definitions(summary_json(kHead, runs)), kWholeRun);
}

TEST(SummaryJson, defines_every_measure_it_holds) {
  const std::vector<RunSummary> runs{{.sites = {{}}}};
  const auto json = nlohmann::json::parse(summary_json(kHead, runs));
  const auto& definitions = json["definitions"];
  for (const auto& [key, value] : json["runs"][0].items()) {
    if (key == "policy" || key == "options" || key == "time_origin" || key == "sites") continue;
    EXPECT_TRUE(definitions.contains(key)) << key;
  }
  for (const auto& [key, value] : json["runs"][0]["sites"][0].items()) {
    EXPECT_TRUE(key == "name" || definitions.contains("sites." + key)) << key;
  }
  EXPECT_EQ(definitions["makespan_s"], "[s] First submission to last finish.");
}

TEST(SummaryJson, writes_undefined_and_impossible_numbers_as_null) {
  const std::vector<RunSummary> runs{{.jct_mean_s = NAN, .energy_kwh = INFINITY}};
  const auto run = nlohmann::json::parse(summary_json(kHead, runs))["runs"][0];
  for (const auto& m : run_measures()) EXPECT_TRUE(run[std::string(m.name)].is_null()) << m.name;
}

TEST(SummaryJson, reads_back_to_the_same_bits) {
  const double awkward = 0.1 + 0.2;
  const std::vector<RunSummary> runs{{.energy_kwh = awkward, .energy_cost = 1e300 / 3}};
  const auto run = nlohmann::json::parse(summary_json(kHead, runs))["runs"][0];
  EXPECT_EQ(run["energy_kwh"].get<double>(), awkward);
  EXPECT_EQ(run["energy_cost"].get<double>(), 1e300 / 3);
}

TEST(SummaryJson, survives_any_text) {
  SummaryHead head = kHead;
  head.scenario = "quote \" line\n broken \xff";
  const auto json = nlohmann::json::parse(summary_json(head, {}));
  EXPECT_EQ(json["scenario"], "quote \" line\n broken \uFFFD");
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), kHead.seed);
  EXPECT_TRUE(json["runs"].empty());
}

}  // namespace

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
RunSummary full_summary() {
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
  const std::vector<RunSummary> runs{full_summary(), {.policy = "sjf"}};
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
