#include "serve/api/job_columns.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/site_transcript.h"
#include "serve/api/job_view.h"

namespace penstock {
namespace {

using nlohmann::json;

TEST(JobColumns, say_the_same_as_rows) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: priority=3", .gpus = 2});
  transcript.pass(1);
  const TrackedJob& job = *transcript.site().find("1");
  JobColumns columns;
  columns.add(job, transcript.site(), SchedulerSnapshot(kNoon, nullptr));
  const json row =
      json::parse(job_json(job, transcript.site(), SchedulerSnapshot(kNoon, nullptr)).dump());
  const json all = json::parse(columns.text(7, 22));
  EXPECT_EQ(all["total"], 7);
  EXPECT_EQ(all["event"], 22);
  for (const char* same : {"id", "name", "user", "partition", "state", "gpus", "gpus_asked",
                           "clock_mhz", "priority", "kind", "why"})
    EXPECT_EQ(all["columns"][same], json::array({row[same]})) << same;
  EXPECT_EQ(all["columns"]["started_ms"], json::array({nullptr}));
  EXPECT_EQ(all["columns"]["submitted_ms"][0], job.seen.submitted->time_since_epoch().count());
  EXPECT_EQ(all["columns"].size(), 17u);
}

TEST(JobColumns, and_rows_show_what_the_user_asked_not_what_we_planned) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: profile=resnet gpus=1-8", .gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), {{GpuId{0}, 4}}});
  transcript.pass(3);
  const TrackedJob& job = *transcript.site().find("1");
  ASSERT_EQ(job.seen.gpus, 4u);
  EXPECT_EQ(job_json(job, transcript.site(), SchedulerSnapshot(kNoon, nullptr))["gpus_asked"], 2);
  JobColumns columns;
  columns.add(job, transcript.site(), SchedulerSnapshot(kNoon, nullptr));
  EXPECT_EQ(json::parse(columns.text(1, 1))["columns"]["gpus_asked"], json::array({2}));
}

TEST(JobColumns, have_jobs_of_the_pool_too) {
  JobColumns columns;
  columns.add({.number = 3, .as_slurm = {.name = "x", .gpus = 4}}, {});
  columns.add({.number = 4, .at = "east"}, {});
  const json all = json::parse(columns.text(2, 0))["columns"];
  EXPECT_EQ(all["id"], json::array({"pool/3", "pool/4"}));
  EXPECT_EQ(all["state"], json::array({"queued", "starting"}));
  for (const json& column : all) EXPECT_EQ(column.size(), 2u);
}

TEST(JobColumns, are_json_also_without_jobs) {
  const json all = json::parse(JobColumns().text(0, 0))["columns"];
  EXPECT_FALSE(all.empty());
  for (const json& column : all) EXPECT_TRUE(column.is_array() && column.empty());
}

TEST(JobColumns, keep_hostile_names_in_their_quotes) {
  for (const std::string name : {"\"],\"x\":[\"", "\\", "a\nb", "</script>", "\xff\xfe", "ü", ""}) {
    std::string text;
    append_json_text(text, name);
    const json read = json::parse(text);
    if (name == "\xff\xfe") continue;
    EXPECT_EQ(read, name);
  }
}

}  // namespace
}  // namespace penstock
