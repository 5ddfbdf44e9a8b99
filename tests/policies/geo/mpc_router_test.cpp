// The router mpc in whole runs.
#include <gtest/gtest.h>

#include <map>

#include "worlds/geo_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

const Link kFast{.megabits_per_second = 8000, .round_trip = Duration(0), .per_gigabyte = Money(0)};

RunLog run_mpc(const World& world, Options options = {}) {
  options["router"] = "mpc";
  options["site"] = "fifo";
  options["site.backfill"] = "easy";
  return run_logged(world, "geo", options);
}

double start_hour(const World& world, const EndedJob& job) {
  return seconds(job.first_start - world.start()) / 3600;
}

TEST(Mpc, goes_where_and_when_power_is_cheapest_in_time) {
  World world = geo_world({{.prices = {4, 3, 3}}, {.prices = {5, 1, 3}}}, kFast);
  add_job(world, GeoJob{.files_gb = 1, .deadline = 3});
  const RunLog log = run_mpc(world, {{"carbon_weight", "0"}});
  EXPECT_EQ(log.ended.front().site, SiteId{1});
  EXPECT_DOUBLE_EQ(start_hour(world, log.ended.front()), 1);
}

TEST(Mpc, stays_at_home_if_sending_costs_more_than_it_saves) {
  Link dear = kFast;
  dear.per_gigabyte = Money(100);
  World world = geo_world({{.prices = {4, 3, 3}}, {.prices = {5, 1, 3}}}, dear);
  add_job(world, GeoJob{.files_gb = 1, .deadline = 3});
  const RunLog log = run_mpc(world, {{"carbon_weight", "0"}, {"wait_weight", "0"}});
  EXPECT_EQ(log.ended.front().site, SiteId{0});
  EXPECT_DOUBLE_EQ(start_hour(world, log.ended.front()), 1);
}

TEST(Mpc, follows_carbon_if_that_is_what_counts) {
  World world = geo_world({{.prices = {1}, .grams = {500}}, {.prices = {2}, .grams = {50}}}, kFast);
  add_job(world, GeoJob{.files_gb = 1, .deadline = 1.5});
  EXPECT_EQ(run_mpc(world, {{"price_weight", "0"}}).ended.front().site, SiteId{1});
  EXPECT_EQ(run_mpc(world, {{"carbon_weight", "0"}}).ended.front().site, SiteId{0});
}

TEST(Mpc, shares_out_the_cheap_site) {
  World world = geo_world({{.nodes = 2, .prices = {4}}, {.nodes = 2, .prices = {1}}}, kFast);
  for (int i = 0; i < 4; ++i) add_job(world, GeoJob{.deadline = 1.1});
  std::map<SiteId, int> jobs;
  for (const EndedJob& job : run_mpc(world).ended) {
    ++jobs[job.site];
    EXPECT_LT(start_hour(world, job), 0.1);
  }
  EXPECT_EQ(jobs[SiteId{0}], 2);
  EXPECT_EQ(jobs[SiteId{1}], 2);
}

TEST(Mpc, does_not_wait_for_ever_for_negative_prices) {
  std::vector<double> falling(200);
  for (std::size_t hour = 0; hour < falling.size(); ++hour)
    falling[hour] = 0.1 - 0.01 * static_cast<double>(hour);
  World world = geo_world({{.prices = falling}}, kFast);
  add_job(world, GeoJob{.run = 2});
  const RunLog log = run_mpc(world, {{"slack", "0.5"}});
  EXPECT_LE(start_hour(world, log.ended.front()), 1 + 1e-6);
}

TEST(Mpc, meets_every_deadline_that_can_be_met_where_nobody_is_in_the_way) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    World world = random_geo_world(seed, {.sites = 3, .days = 3, .load = 0.02, .nodes = 40});
    for (const EndedJob& ended : run_mpc(world).ended)
      ASSERT_LE(ended.finish, *world.jobs[ended.job.index].job.deadline) << "world " << seed;
  }
}

TEST(Mpc, brings_every_job_to_its_end_when_there_are_too_many_and_sites_fail) {
  World world = random_geo_world(5, {.sites = 3, .days = 2, .load = 1.4, .nodes = 2});
  world.sim.outages = {{.site = {1},
                        .from = world.start() + std::chrono::hours(5),
                        .until = world.start() + std::chrono::hours(20)}};
  EXPECT_EQ(run_mpc(world).ended.size(), world.jobs.size());
}

TEST(Mpc, decides_the_same_twice) {
  const World world = random_geo_world(7, {.sites = 3, .days = 2, .load = 0.9, .nodes = 2});
  const RunLog once = run_mpc(world);
  const RunLog twice = run_mpc(world);
  ASSERT_EQ(once.turns.size(), twice.turns.size());
  for (std::size_t i = 0; i < once.ended.size(); ++i) {
    EXPECT_EQ(once.ended[i].job, twice.ended[i].job);
    EXPECT_EQ(once.ended[i].finish, twice.ended[i].finish);
    EXPECT_EQ(once.ended[i].bill, twice.ended[i].bill);
  }
}

}  // namespace
}  // namespace penstock
