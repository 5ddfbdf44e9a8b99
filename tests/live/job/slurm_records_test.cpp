#include "live/job/slurm_records.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/fake_slurm.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

TEST(Records, a_job_is_read_as_the_bridge_tells_it) {
  const json record = json::parse(R"({"job":12,"ref":"12","user":"ann","partition":"main",
    "comment":"c","admin_comment":"penstock: held","state":"running","flags":["completing"],
    "reason":"none","held":false,"restarts":2,"requeue":true,"batch":true,"submitted":10,
    "started":20,"ended":null,"time_limit_min":5,"nodes":["n5","n6"],"node_count":2,"gpus":8,
    "gpus_per_task":null,"gpu_type":null,"clock_mhz":1200,
    "gpus_held":[{"node":"n5","type":"v100","indices":[0,1]},{"node":"n6","indices":[7]}]})");
  const auto job = read_slurm_job(record);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->number, 12);
  EXPECT_EQ(job->phase, SlurmJob::Phase::running);
  EXPECT_TRUE(job->completing);
  EXPECT_EQ(job->started, Time(20s));
  EXPECT_FALSE(job->ended);
  EXPECT_EQ(job->time_limit, Duration(5min));
  EXPECT_EQ(job->gpus_held_count(), 3u);
  EXPECT_EQ(job->gpus_held.back().indices, std::vector<std::uint32_t>{7});
  EXPECT_FALSE(job->gpus_by_task);
}

TEST(Records, a_year_that_slurm_gives_a_job_without_a_limit_was_taken_for_one) {
  const auto limit = [](int minutes) {
    return read_slurm_job({{"job", 1}, {"state", "running"}, {"time_limit_min", minutes}})
        ->time_limit;
  };
  EXPECT_FALSE(limit(525600));
  EXPECT_EQ(limit(525599), Duration(525599min));
}

TEST(Records, what_has_no_number_or_no_state_is_no_job) {
  for (const char* text : {"null", "[]", "3", "{}", R"({"job":0,"state":"running"})",
                           R"({"job":"12","state":"running"})", R"({"job":12})"})
    EXPECT_FALSE(read_slurm_job(json::parse(text))) << text;
}

TEST(Records, members_of_the_wrong_kind_are_as_good_as_absent) {
  const auto job = read_slurm_job(json::parse(
      R"({"job":1,"state":"pending","ref":7,"gpus":-3,"nodes":{"a":1},"gpus_held":[3,{"node":4,
      "indices":"all"}],"flags":"completing","time_limit_min":1e99,"held":"yes","started":-5,
      "submitted":99999999999999,"node_count":0})"));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->ref, "1");
  EXPECT_EQ(job->gpus, 0u);
  EXPECT_EQ(job->node_count, 1u);
  EXPECT_TRUE(job->nodes.empty());
  EXPECT_EQ(job->gpus_held_count(), 0u);
  EXPECT_FALSE(job->completing || job->held || job->started || job->submitted || job->time_limit);
}

TEST(Records, an_unknown_state_is_an_end) {
  const auto phase = [](const std::string& state) {
    return read_slurm_job({{"job", 1}, {"state", state}})->phase;
  };
  EXPECT_EQ(phase("suspended"), SlurmJob::Phase::running);
  EXPECT_EQ(phase("node_fail"), SlurmJob::Phase::ended);
  EXPECT_EQ(phase("eaten"), SlurmJob::Phase::ended);
}

TEST(Records, the_fake_slurm_is_read_like_the_real_one) {
  const auto job = read_slurm_job(FakeSlurm::shown({.number = 3, .ref = "3", .gpus = 2}));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->gpus, 2u);
  EXPECT_TRUE(job->batch && job->requeue);
}

TEST(Records, a_node_works_unless_something_keeps_it) {
  const auto works = [](const std::string& state, std::vector<std::string> flags) {
    return read_slurm_node({{"name", "n1"}, {"state", state}, {"flags", std::move(flags)}})
        ->can_work();
  };
  EXPECT_TRUE(works("idle", {}));
  EXPECT_TRUE(works("mixed", {"completing"}));
  EXPECT_TRUE(works("idle", {"powered_down"}));  // it is powered up for a job
  EXPECT_FALSE(works("down", {}));
  EXPECT_FALSE(works("unknown", {}));
  for (const char* flag : {"drain", "fail", "no_respond", "maintenance", "invalid"})
    EXPECT_FALSE(works("idle", {flag})) << flag;
}

TEST(Records, a_node_says_what_keeps_it) {
  const auto node =
      read_slurm_node(json::parse(R"({"name":"n1","state":"idle","flags":["drain"],"reason":"fan",
      "gpus":[{"type":"v100","total":4},7]})"));
  ASSERT_TRUE(node);
  EXPECT_EQ(node->problem(), "idle drain (fan)");
  ASSERT_EQ(node->gpus.size(), 1u);
  EXPECT_EQ(node->gpus[0].total, 4u);
  EXPECT_FALSE(read_slurm_node(json::parse(R"({"name":"n1"})")));
}

TEST(Records, tasks_that_wait_together_are_counted_out) {
  using Tasks = std::vector<std::uint32_t>;
  EXPECT_EQ(read_tasks("0,2-4", 100), (Tasks{0, 2, 3, 4}));
  EXPECT_EQ(read_tasks("2-4", 2), (Tasks{2, 3}));
  EXPECT_EQ(read_tasks("", 9), Tasks{});
  EXPECT_EQ(read_tasks("5-3,x,,7-", 9), Tasks{7});
  EXPECT_EQ(read_tasks("4294967295-4294967295", 9).front(), 4294967295u);
  EXPECT_EQ(read_tasks("0-4294967295", 3), (Tasks{0, 1, 2}));
}

}  // namespace
}  // namespace penstock
