#include <gtest/gtest.h>

#include "worlds/random_world.h"
#include "worlds/reasons.h"
#include "worlds/referee.h"
#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Two sites of one node with two GPUs each, 200 W beyond idle; 1 GB takes 8 s and costs 0.5. The
/// first site's power costs 0.3, the other's 0.1; carbon is the other way round.
World two_sites() {
  World world;
  world.cluster.types = {{.name = "plain", .idle = Watts(0), .peak = Watts(200)}};
  for (const char* name : {"dear", "cheap"})
    add_site(world.cluster, name, {{.count = 1, .gpus = 2, .type = {}}});
  world.cluster.network = {
      .sites = 2,
      .links = std::vector<Link>(
          4, {.megabits_per_second = 1000, .round_trip = 500ms, .per_gigabyte = Money(0.5)}),
      .energy_per_gigabyte = Joules(0.06 * kJoulesPerKwh)};
  world.signals.resize(2);
  world.signals[0].price = Signal<Price>::constant(Price(0.3));
  world.signals[1].price = Signal<Price>::constant(Price(0.1));
  world.signals[0].carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(100));
  world.signals[1].carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(400));
  world.forecasts.resize(2);
  return world;
}

void add_home_job(World& world, const PlainJob& plain, SiteId home) {
  add_job(world, plain);
  world.jobs.back().job.home = home;
  world.jobs.back().job.files_gb = 2;
  world.jobs.back().job.checkpoint_gb = 1;
}

TEST(Geo, lets_a_job_start_when_its_files_have_arrived) {
  World world = two_sites();
  add_home_job(world, {.submitted = 10, .gpus = 2, .requested = 3600, .actual = 3600}, SiteId{0});
  const RunLog log = run_logged(world, "geo", {{"router", "cheapest"}});
  EXPECT_EQ(log.ended[0].site, SiteId{1});
  EXPECT_EQ(log.ended[0].first_start, world.start() + 26'500ms);  // 10 s + 16 s + 0.5 s
}

TEST(Geo, bills_a_transfer_once_at_the_sender) {
  World world = two_sites();
  add_home_job(world, {.submitted = 0, .gpus = 2, .requested = 3600, .actual = 3600}, SiteId{0});
  const RunLog log = run_logged(world, "geo", {{"router", "cheapest"}});
  const TransferBill& sent = log.result.sites[0].sent;
  EXPECT_EQ(sent.count, 1u);
  EXPECT_DOUBLE_EQ(sent.gigabytes, 2);
  EXPECT_DOUBLE_EQ(sent.fee.value(), 1);
  EXPECT_DOUBLE_EQ(kilowatt_hours(sent.energy), 0.12);
  EXPECT_DOUBLE_EQ(sent.cost.value(), 0.12 * 0.3);
  EXPECT_DOUBLE_EQ(sent.carbon.value(), 12);
  EXPECT_EQ(log.result.sites[1].sent, TransferBill{});
  EXPECT_EQ(log.ended[0].sent, sent);
  EXPECT_DOUBLE_EQ(log.ended[0].bill.cost.value(), 0.4 * 0.1);  // 400 W for an hour
}

TEST(Geo, leaves_jobs_at_home_if_the_router_is_local) {
  World world = two_sites();
  for (const std::uint32_t home : {0u, 1u, 0u})
    add_home_job(world, {.submitted = 0, .gpus = 2, .requested = 100, .actual = 100}, SiteId{home});
  const RunLog log = run_logged(world, "geo", {});
  EXPECT_EQ(log.ended[2].site, SiteId{0});
  EXPECT_EQ(log.ended[2].first_start, world.start() + 100s);  // behind the first
  EXPECT_EQ(log.result.sites[0].sent, TransferBill{});
}

TEST(Geo, follows_carbon_or_room_as_the_router_says) {
  World world = two_sites();
  add_home_job(world, {.submitted = 0, .gpus = 2, .requested = 1000, .actual = 1000}, SiteId{1});
  add_home_job(world, {.submitted = 50, .gpus = 2, .requested = 1000, .actual = 1000}, SiteId{1});
  const RunLog green = run_logged(world, "geo", {{"router", "greenest"}});
  EXPECT_EQ(green.ended[0].site, SiteId{0});
  EXPECT_EQ(green.ended[1].site, SiteId{1});  // no room at the clean one
  const RunLog even = run_logged(world, "geo", {{"router", "least-loaded"}});
  EXPECT_EQ(even.ended[0].site, SiteId{1});
  EXPECT_EQ(even.ended[1].site, SiteId{0});
}

TEST(Geo, moves_jobs_of_a_site_that_fails_with_their_checkpoints) {
  World world = two_sites();
  world.sim.outages = {
      {.site = SiteId{0}, .from = world.start() + 100s, .until = world.start() + 1h}};
  world.costs.restart = 5s;
  add_home_job(world, {.submitted = 0, .gpus = 2, .requested = 600, .actual = 600}, SiteId{0});
  const RunLog log = run_logged(world, "geo", {});
  ASSERT_EQ(log.ended.size(), 1u);
  EXPECT_EQ(log.ended[0].site, SiteId{1});
  EXPECT_DOUBLE_EQ(log.ended[0].sent.gigabytes, 3);
  // 100 s done; 24.5 s on the way, 5 s to restore, 500 s to go.
  EXPECT_EQ(log.ended[0].finish, world.start() + 629'500ms);
}

TEST(Geo, waits_for_a_better_hour_but_not_beyond_the_deadline) {
  World world = two_sites();
  world.signals[0].price = Signal<Price>({{world.start(), Price(0.3)},
                                          {world.start() + 2h, Price(0.2)},
                                          {world.start() + 5h, Price(0.05)}});
  add_home_job(world, {.submitted = 0, .gpus = 1, .requested = 3600, .actual = 3600}, SiteId{0});
  world.jobs[0].job.deadline = world.start() + 4h;
  const RunLog log = run_logged(world, "geo", {{"wait", "cheapest"}});
  EXPECT_EQ(log.ended[0].first_start, world.start() + 2h);
  world.jobs[0].job.deadline = world.start() + 90min;
  const RunLog hurried = run_logged(world, "geo", {{"wait", "cheapest"}});
  EXPECT_EQ(hurried.ended[0].first_start, world.start());  // nothing is gained before then
}

TEST(Geo, waits_on_if_nobody_is_up_when_the_better_hour_comes) {
  World world = one_site(1, 2);
  world.signals[0].price =
      Signal<Price>({{world.start(), Price(0.3)}, {world.start() + 2h, Price(0.1)}});
  world.sim.outages = {
      {.site = SiteId{0}, .from = world.start() + 1h, .until = world.start() + 4h}};
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 36'000, .actual = 600});
  const RunLog log = run_logged(world, "price-wait", {});
  ASSERT_EQ(log.ended.size(), 1u);
  EXPECT_EQ(log.ended[0].first_start, world.start() + 4h);
}

TEST(Geo, with_one_site_and_no_homes_is_the_policy_of_that_site) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const World world = random_world(
        seed, {.most_sites = 1, .parents = false, .failures = false, .elastic = seed % 2 == 0});
    const char* policy = seed % 3 == 0 ? "srtf" : seed % 3 == 1 ? "fifo" : "afs";
    const RunLog alone = run_logged(world, policy, {});
    const RunLog within = run_logged(world, "geo", {{"site", policy}});
    ASSERT_EQ(alone.ended.size(), within.ended.size());
    for (std::size_t i = 0; i < alone.ended.size(); ++i) {
      EXPECT_EQ(alone.ended[i].job, within.ended[i].job);
      EXPECT_EQ(alone.ended[i].finish, within.ended[i].finish);
      EXPECT_EQ(alone.ended[i].bill, within.ended[i].bill);
    }
  }
}

Options variant(std::uint64_t seed) {
  constexpr const char* kRuleRouters[] = {"local",    "random",       "round-robin", "cheapest",
                                          "greenest", "least-loaded", "most-free"};
  constexpr const char* kSites[] = {"fifo", "srtf", "powerflow", "andreas", "las", "gandiva"};
  constexpr const char* kWaits[] = {"none", "cheapest", "greenest"};
  Options options{
      {"router", kRuleRouters[seed % 7]}, {"site", kSites[seed % 6]}, {"wait", kWaits[seed % 3]}};
  if (options["site"] == "fifo") options["site.backfill"] = seed % 4 < 2 ? "conservative" : "easy";
  return options;
}

TEST(Geo, acts_only_as_is_possible_and_ends_every_job_once) {
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const World world =
        random_world(seed, {.most_sites = 3, .elastic = seed % 2 == 1, .homes = true});
    const RunLog log = run_logged(world, "geo", variant(seed));
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    TransferBill sites;
    for (const SiteResult& site : log.result.sites) sites += site.sent;
    TransferBill jobs;
    for (const EndedJob& job : log.ended) jobs += job.sent;
    EXPECT_EQ(sites.count, jobs.count);
    EXPECT_NEAR(sites.money().value(), jobs.money().value(), 1e-9);
  }
}

TEST(Geo, says_why_of_all_it_does_and_does_the_same_unasked) {
  for (std::uint64_t seed = 1; seed <= 120 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const World world =
        random_world(seed, {.most_sites = 3, .elastic = seed % 2 == 1, .homes = true});
    Options options = variant(seed);
    if (seed % 5 == 0) options["router"] = "mpc";
    if (seed % 5 == 0) options["wait"] = "none";
    const RunLog log = run_explained(world, "geo", options);
    expect_reasons(log);
    expect_same_unexplained(log, run_logged(world, "geo", options), world.start());
  }
}

TEST(Geo, gives_the_same_run_twice) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const World world = random_world(seed, {.most_sites = 3, .homes = true});
    const RunLog one = run_logged(world, "geo", variant(seed));
    const RunLog two = run_logged(world, "geo", variant(seed));
    EXPECT_EQ(text_of(one.turns, world.start()), text_of(two.turns, world.start())) << seed;
  }
}

}  // namespace
}  // namespace penstock
