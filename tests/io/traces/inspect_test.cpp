#include "io/traces/inspect.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Three jobs in two hours: 1 + 4 + 32 GPUs for 1 h, 1 h and 30 min; one bad row.
Trace three_jobs() {
  auto trace = parse_trace("arrival_time,length,cpus\n0,1,1\n1,1,4\n1.5,0,1\n2,0.5,32\n", "x.csv",
                           "pai", {.strict = false});
  EXPECT_TRUE(trace);
  return *std::move(trace);
}

TEST(Inspect, counts_what_can_be_counted_by_hand) {
  const auto facts = inspect(three_jobs(), 16, 8);
  EXPECT_EQ(facts.jobs, 3u);
  EXPECT_EQ(facts.span, 2h);
  EXPECT_EQ(facts.sizes, (std::map<std::uint32_t, std::uint64_t>{{1, 1}, {4, 1}, {32, 1}}));
  EXPECT_DOUBLE_EQ(facts.gpu_hours, 1 + 4 + 16);
  EXPECT_DOUBLE_EQ(facts.offered_load.value(), 21.0 / 32);
  EXPECT_EQ(facts.never_fit, 1u);
  EXPECT_EQ(facts.sub_node, 2u);
  EXPECT_EQ(facts.durations.least, 30min);
  EXPECT_EQ(facts.durations.p50, 1h);
  EXPECT_EQ(facts.durations.mean, 50min);
  EXPECT_EQ(facts.gaps->p50, 1h);
}

TEST(Inspect, is_told_as_an_aligned_text) {
  EXPECT_EQ(to_text(inspect(three_jobs(), 16, 8)),
            "trace             x.csv\n"
            "format            pai\n"
            "time unit         hours (the format defines it)\n"
            "rows              4 read, 3 kept\n"
            "dropped           1 rows: length: not positive\n"
            "                    x.csv:4: length: 0 is not positive\n"
            "jobs              3, of which 0 with a deadline, 0 with parents, 0 that outrun their "
            "request\n"
            "names             0 users, 0 groups, 0 kinds\n"
            "submissions       1970-01-01T00:00:00Z to 1970-01-01T02:00:00Z, 2 h\n"
            "interarrival      min 60 min, p25 60 min, p50 60 min, p75 60 min, p95 60 min, p99 60 "
            "min, max 60 min, mean 60 min\n"
            "run time          min 30 min, p25 30 min, p50 60 min, p75 60 min, p95 60 min, p99 60 "
            "min, max 60 min, mean 50 min\n"
            "work              21.0 GPU-hours\n"
            "sizes                  1 GPUs         1 jobs  33.33 %\n"
            "                       4 GPUs         1 jobs  33.33 %\n"
            "                      32 GPUs         1 jobs  33.33 %\n"
            "cluster           16 GPUs\n"
            "offered load      65.6 % of the cluster over the span\n"
            "never fit         1 jobs ask for more GPUs than there are\n"
            "sub-node          2 jobs ask for fewer than a node's 8 GPUs\n");
}

TEST(Inspect, is_told_as_json_with_null_for_what_is_undefined) {
  const auto object = nlohmann::json::parse(to_json(inspect(three_jobs(), std::nullopt, 8)));
  EXPECT_EQ(object["jobs"], 3);
  EXPECT_EQ(object["gpu_hours"], 21.0);
  EXPECT_TRUE(object["offered_load"].is_null());
  EXPECT_EQ(object["sub_node"], 2);
  EXPECT_EQ(object["report"]["rows_bad"][0]["reason"], "length: not positive");
}

TEST(Inspect, of_one_job_has_neither_gaps_nor_load) {
  const auto trace = parse_trace("arrival_time,length,cpus\n0,1,1\n", "x", "pai", {});
  const auto facts = inspect(*trace, 16, std::nullopt);
  EXPECT_EQ(facts.gaps.has_value(), false);
  EXPECT_EQ(facts.offered_load, std::nullopt);
  EXPECT_EQ(facts.never_fit, 0u);
}

}  // namespace
}  // namespace penstock
