#include "io/traces/origins.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const Time kMidnight{std::chrono::sys_days(std::chrono::year(2020) / 7 / 1)};

/// Eight GPUs at site 0 and four at site 1.
Cluster two_sites() {
  Cluster cluster;
  cluster.types.push_back({.name = "v100"});
  add_site(cluster, "large", {{.count = 1, .gpus = 8}});
  add_site(cluster, "small", {{.count = 1, .gpus = 4}});
  return cluster;
}

TracedJob job(std::uint32_t id, std::uint32_t gpus = 1, Time submitted = kMidnight) {
  return {.job = {.id = JobId{id}, .submitted = submitted, .gpus = gpus, .requested = hours(10)}};
}

OriginSpec alike() {
  return {.sites = {{.weight = 1}, {.weight = 1}}, .seed = 7};
}

/// How many of a thousand jobs come from site 1.
int from_the_second(const OriginSpec& spec, Time submitted) {
  const Cluster cluster = two_sites();
  const Origins origins(spec, cluster);
  int count = 0;
  for (std::uint32_t id = 0; id < 1000; ++id) {
    TracedJob traced = job(id, 1, submitted);
    origins.give(traced);
    if (traced.job.home == SiteId{1}) ++count;
  }
  return count;
}

TEST(Origins, office_hours_rise_from_six_to_nine_and_fall_until_ten_at_night) {
  EXPECT_EQ(office_hours(3), 0.25);
  EXPECT_EQ(office_hours(7.5), 0.625);
  EXPECT_EQ(office_hours(9), 1);
  EXPECT_EQ(office_hours(17.9), 1);
  EXPECT_EQ(office_hours(20), 0.625);
  EXPECT_EQ(office_hours(22), 0.25);
}

TEST(Origins, are_drawn_by_weight) {
  OriginSpec spec = alike();
  spec.sites[1].weight = 3;
  EXPECT_NEAR(from_the_second(spec, kMidnight), 750, 50);
}

TEST(Origins, are_where_it_is_day) {
  OriginSpec spec = alike();
  spec.by_hour = true;
  spec.sites[1].clock = {.ahead = hours(12)};
  EXPECT_NEAR(from_the_second(spec, kMidnight), 800, 50);
  EXPECT_NEAR(from_the_second(spec, kMidnight + hours(12)), 200, 50);
}

TEST(Origins, follow_clocks_that_are_put_forward_and_back) {
  OriginSpec spec = alike();
  spec.by_hour = true;
  OriginSpec summer = spec;
  spec.sites[1].clock = {.ahead = hours(1), .daylight = Daylight::eu};
  summer.sites[1].clock = {.ahead = hours(2)};
  OriginSpec winter = spec;
  winter.sites[1].clock = {.ahead = hours(1)};
  const auto at = [](const char* text) { return *parse_time(text); };
  // It is between six and nine, or between 18 and 22, when an hour matters.
  for (const char* text : {"2021-03-27T06:00Z", "2021-10-31T01:00Z", "2021-10-31T06:00Z"})
    EXPECT_EQ(from_the_second(spec, at(text)), from_the_second(winter, at(text))) << text;
  for (const char* text : {"2021-03-28T01:00Z", "2021-03-28T06:00Z", "2021-10-30T06:00Z"})
    EXPECT_EQ(from_the_second(spec, at(text)), from_the_second(summer, at(text))) << text;
  EXPECT_NE(from_the_second(summer, at("2021-03-28T06:00Z")),
            from_the_second(winter, at("2021-03-28T06:00Z")));
}

TEST(Origins, are_never_where_the_job_cannot_run) {
  const Cluster cluster = two_sites();
  const Origins origins(alike(), cluster);
  for (std::uint32_t id = 0; id < 50; ++id) {
    TracedJob large = job(id, 8);
    origins.give(large);
    EXPECT_EQ(large.job.home, SiteId{0});
  }
  TracedJob too_large = job(1, 9);
  origins.give(too_large);
  EXPECT_EQ(too_large.job.home, kNoSite);
}

TEST(Origins, of_a_job_do_not_depend_on_how_many_were_skipped) {
  const Cluster cluster = two_sites();
  OriginSpec spec = alike();
  spec.files_gb = 20;
  spec.files_sigma = 1;
  spec.slack_range = {1, 3};
  const Origins whole(spec, cluster);
  spec.skip = 100;
  const Origins part(spec, cluster);
  for (std::uint32_t id = 0; id < 50; ++id) {
    TracedJob in_whole = job(id + 100);
    TracedJob in_part = job(id);
    whole.give(in_whole);
    part.give(in_part);
    EXPECT_EQ(in_whole.job.home, in_part.job.home);
    EXPECT_EQ(in_whole.job.files_gb, in_part.job.files_gb);
    EXPECT_EQ(in_whole.job.deadline, in_part.job.deadline);
  }
}

TEST(Origins, give_files_and_checkpoints_as_told) {
  const Cluster cluster = two_sites();
  OriginSpec spec = alike();
  spec.files_gb = 20;
  spec.checkpoint_gb_per_gpu = 0.5;
  TracedJob traced = job(3, 4);
  Origins(spec, cluster).give(traced);
  EXPECT_EQ(traced.job.files_gb, 20);
  EXPECT_EQ(traced.job.checkpoint_gb, 2);
  EXPECT_FALSE(traced.job.deadline);
  spec.checkpoint_gb = 3;
  spec.checkpoint_gb_per_gpu = 0;
  Origins(spec, cluster).give(traced);
  EXPECT_EQ(traced.job.checkpoint_gb, 3);
}

TEST(Origins, deadlines_are_slack_times_the_time_asked_for) {
  const Cluster cluster = two_sites();
  OriginSpec spec = alike();
  spec.slacks = {{.factor = 1.5, .weight = 1}, {.factor = 2, .weight = 0}};
  TracedJob traced = job(0);
  Origins(spec, cluster).give(traced);
  EXPECT_EQ(traced.job.deadline, kMidnight + hours(15));
  TracedJob with_its_own = job(0);
  with_its_own.job.deadline = kMidnight + hours(11);
  Origins(spec, cluster).give(with_its_own);
  EXPECT_EQ(with_its_own.job.deadline, kMidnight + hours(11));
}

}  // namespace
}  // namespace penstock
