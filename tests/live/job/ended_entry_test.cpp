#include "live/job/ended_entry.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

const LiveRun kRun{.started = Time(1s),
                   .ended = Time(2500ms),
                   .gpus = 4,
                   .nodes = {"n1", "n2"},
                   .type = "a100",
                   .clock_mhz = 1200,
                   .done = 77.5};

TEST(EndedEntry, a_run_is_read_as_it_was_written) {
  const auto read = read_run(json::parse(run_detail("12_3", kRun).dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->first, "12_3");
  EXPECT_EQ(read->second.started, kRun.started);
  EXPECT_EQ(read->second.ended, kRun.ended);
  EXPECT_EQ(read->second.gpus, 4u);
  EXPECT_EQ(read->second.nodes, kRun.nodes);
  EXPECT_EQ(read->second.type, "a100");
  EXPECT_EQ(read->second.clock_mhz, 1200u);
  EXPECT_EQ(read->second.done, 77.5);
}

TEST(EndedEntry, a_run_that_goes_on_or_is_none_is_not_read) {
  LiveRun open = kRun;
  open.ended.reset();
  EXPECT_FALSE(read_run(run_detail("1", open)));
  for (const char* text : {"null", "[]", "3", "{}", R"({"ref":1,"started_ms":1,"ended_ms":2})",
                           R"({"ref":"1","started_ms":"1","ended_ms":2})"})
    EXPECT_FALSE(read_run(json::parse(text))) << text;
}

TEST(EndedEntry, says_what_was_asked_and_what_it_got) {
  TrackedJob job{.seen = {.ref = "12", .state = "completed", .submitted = Time(500ms), .gpus = 2},
                 .runs_seen = {kRun}};
  job.user_options.deadline_after = 10s;
  const json detail = ended_detail(job, {});
  EXPECT_EQ(detail["text"], "ended: completed, after 1 run and 1.5 s with GPUs");
  EXPECT_EQ(detail["submitted_ms"], 500);
  EXPECT_EQ(detail["deadline_ms"], 10'500);
  EXPECT_EQ(detail["gpus"], 2);
  EXPECT_EQ(detail["pinned"], true);
  EXPECT_TRUE(detail["least"].is_null() && detail["work"].is_null());
  EXPECT_EQ(detail["runs"][0]["ended_ms"], 2500);
}

TEST(EndedEntry, an_elastic_job_has_bounds_and_is_not_pinned) {
  TrackedJob job{.seen = {.ref = "12", .state = "failed"}, .work = 100, .kind = "resnet"};
  job.user_options.gpus = UserOptions::Bounds{1, 8};
  const json detail = ended_detail(job, {.bill = {.energy = Joules(5)}, .predicted = Money(2)});
  EXPECT_EQ(detail["least"], 1);
  EXPECT_EQ(detail["most"], 8);
  EXPECT_EQ(detail["pinned"], false);
  EXPECT_EQ(detail["energy_j"], 5);
  EXPECT_EQ(detail["predicted_cost"], 2);
}

}  // namespace
}  // namespace penstock
