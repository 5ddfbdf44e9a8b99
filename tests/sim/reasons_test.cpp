// What policies say of their decisions, in worlds small enough to be checked in one's head. They
// begin at midnight.
#include "worlds/reasons.h"

#include <gtest/gtest.h>

#include "worlds/elastic_site.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Four GPUs. The first job holds three of them for an hour, the second asks for all four, the
/// third for one: for half an hour. A fourth would take two hours.
World blocked_queue() {
  World world = one_site(1, 4);
  add_job(world, {.submitted = 0, .gpus = 3, .requested = 3600, .actual = 3600});
  add_job(world, {.submitted = 60, .gpus = 4, .requested = 3600, .actual = 3600});
  add_job(world, {.submitted = 120, .gpus = 1, .requested = 1800, .actual = 1800});
  add_job(world, {.submitted = 180, .gpus = 1, .requested = 7200, .actual = 7200});
  return world;
}

TEST(Reasons, easy_says_for_what_the_head_waits_and_why_others_pass) {
  const World world = blocked_queue();
  const RunLog log = run_explained(world, "fifo", {{"backfill", "easy"}});
  EXPECT_EQ(said_at(0, 0, log, world), "next in the queue by fifo: submitted 00:00Z");
  EXPECT_EQ(said_at(60, 1, log, world), "waits: 4 GPUs asked, 1 free; expected 01:00Z");
  EXPECT_EQ(said_at(120, 1, log, world), "waits: 4 GPUs asked, 0 free; promised 01:00Z");
  EXPECT_EQ(said_at(120, 2, log, world),
            "passes job #1: it will be over by 00:32Z, before that one's promised start at 01:00Z");
  EXPECT_EQ(said_at(180, 3, log, world), "");  // behind the head: there is nothing to say yet
  EXPECT_EQ(said_at(3600, 1, log, world), "next in the queue by fifo: submitted 00:01Z");
}

TEST(Reasons, fifo_alone_promises_nothing) {
  const World world = blocked_queue();
  const RunLog log = run_explained(world, "fifo", {});
  EXPECT_EQ(said_at(60, 1, log, world), "waits: 4 GPUs asked, 1 free");
  EXPECT_EQ(said_at(120, 2, log, world), "");
}

TEST(Reasons, conservative_tells_everybody_his_promise) {
  const World world = blocked_queue();
  const RunLog log = run_explained(world, "fifo", {{"backfill", "conservative"}});
  EXPECT_EQ(said_at(60, 1, log, world), "waits: 4 GPUs asked, 1 free; promised 01:00Z");
  EXPECT_EQ(said_at(180, 3, log, world), "waits: 1 GPU asked, 0 free; promised 02:00Z");
  EXPECT_EQ(said_at(7200, 3, log, world), "its promised start has come, 1 GPU for 2.0 h");
}

TEST(Reasons, scattered_gpus_are_told_as_such) {
  World world = one_site(2, 2);
  for (int i = 0; i < 2; ++i)
    add_job(world, {.submitted = 0, .gpus = 2, .requested = 60, .actual = 60});
  for (int i = 0; i < 3; ++i)
    add_job(world, {.submitted = 60,
                    .gpus = 1,
                    .requested = i == 1 ? 100.0 : 3600.0,
                    .actual = i == 1 ? 100.0 : 3600.0});
  add_job(world, {.submitted = 70, .gpus = 2, .requested = 60, .actual = 60});
  const RunLog after = run_explained(world, "fifo", {{"place", "consolidate"}});
  EXPECT_EQ(said_at(160, 5, after, world), "waits: 2 GPUs asked, 2 free, but scattered");
}

TEST(Reasons, srtf_tells_both_who_is_stopped_and_for_whom) {
  World world = one_site(1, 4);
  add_job(world, {.submitted = 0, .gpus = 4, .requested = 36'000, .actual = 36'000});
  add_job(world, {.submitted = 3600, .gpus = 2, .requested = 600, .actual = 600});
  const RunLog log = run_explained(world, "srtf", {});
  EXPECT_EQ(said_at(3600, 0, log, world),
            "stopped for job #1, which needs 10 min: this one needs 9.0 h still | waits: 4 GPUs "
            "asked, 2 free");
  EXPECT_EQ(said_at(3600, 1, log, world),
            "next in the queue by srtf: asks for 10 min; stops 1 job that would take longer");
}

TEST(Reasons, las_goes_by_levels) {
  World world = one_site(1, 1);
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 36'000, .actual = 36'000});
  add_job(world, {.submitted = 5400, .gpus = 1, .requested = 600, .actual = 600});
  const RunLog log = run_explained(world, "las", {{"quantum", "1 h"}});
  EXPECT_EQ(said_at(5400, 0, log, world),
            "stopped for job #1 of service level 0: this one has reached level 1");
}

TEST(Reasons, price_wait_tells_until_when_and_what_that_saves) {
  World world = one_site(1, 4);
  world.signals[0].price =
      Signal<Price>({{world.start(), Price(0.21)}, {world.start() + 2h, Price(0.09)}});
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 36'000, .actual = 600});
  const RunLog log = run_explained(world, "price-wait", {});
  const std::string waits = said_at(0, 0, log, world);
  EXPECT_EQ(waits, "waits until 02:00Z: 0.09 then against 0.114 a kWh now");  // 2 h of 10 h at 0.21
  EXPECT_EQ(said_at(7200, 0, log, world),
            "0.09 a kWh now, and no start until 05:00Z is foretold to be better by 2 %; next in "
            "the queue by fifo: submitted 00:00Z");
}

/// Two GPUs each: dear and cheap.
World sites_of_reasons() {
  World world;
  world.cluster.types = {{.name = "plain", .idle = Watts(0), .peak = Watts(200)}};
  for (const char* name : {"dear", "cheap"})
    add_site(world.cluster, name, {{.count = 1, .gpus = 2, .type = {}}});
  world.signals.resize(2);
  world.signals[0].price = Signal<Price>::constant(Price(0.3));
  world.signals[1].price = Signal<Price>::constant(Price(0.1));
  world.forecasts.resize(2);
  return world;
}

TEST(Reasons, geo_tells_why_there_before_what_the_site_says) {
  World world = sites_of_reasons();
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 3600, .actual = 3600});
  add_job(world, {.submitted = 60, .gpus = 2, .requested = 3600, .actual = 3600});
  const RunLog log = run_explained(world, "geo", {{"router", "cheapest"}});
  EXPECT_EQ(
      said_at(0, 0, log, world),
      "at cheap, the cheapest site: 0.1 a kWh, PUE included, against 0.3 elsewhere; next in the "
      "queue by fifo: submitted 00:00Z");
  EXPECT_EQ(said_at(60, 1, log, world),
            "at dear, the cheapest site with room for 2 GPUs: 0.3 a kWh, PUE included, against 0.1 "
            "elsewhere; next in the queue by fifo: submitted 00:01Z");
}

void submit(World& world, double work, double when = 0) {
  add_job(world, {.submitted = when, .gpus = 1, .requested = work, .actual = work});
  world.jobs.back().job.kind_id = KindId{0};
  world.jobs.back().job.batch = 1;
  world.jobs.back().job.work = world.jobs.back().work = Work(work);
}

TEST(Reasons, powerflow_tells_what_a_job_and_the_plan_need) {
  World world = elastic_site();
  submit(world, 3600);
  const RunLog log = run_explained(world, "powerflow", {{"profile", "none"}});
  // A batch of 8 in a second: 450 s, in which two GPUs draw 300 W beyond idle.
  EXPECT_EQ(said_at(0, 0, log, world),
            "2 GPUs at 1000 MHz: 8 min and 0.04 kWh to its end; the plan uses 2 of 4 GPUs");
}

TEST(Reasons, powerflow_tells_who_waits_what_he_needs_of_the_budget) {
  World world = elastic_site();
  for (int i = 0; i < 5; ++i) submit(world, 36'000);
  const RunLog log =
      run_explained(world, "powerflow", {{"profile", "none"}, {"energy_budget", "0.6 kWh/h"}});
  // Idle machines draw 400 W; the 0.2 kWh that are left may go within a quarter of an hour. Two
  // GPUs take the batch in half the time; the first of five alike is the first to be done.
  EXPECT_EQ(
      said_at(0, 0, log, world),
      "2 GPUs at 1000 MHz: 75 min and 0.38 kWh to its end; the plan uses 4 of 4 GPUs, 0.60 of "
      "0.80 kW beyond idle");
  EXPECT_EQ(
      said_at(0, 4, log, world),
      "waits: needs 1 GPU, 0.05 kW at least, and others come first; the plan uses 4 of 4 GPUs, "
      "0.60 of 0.80 kW beyond idle");
}

TEST(Reasons, zeus_adds_why_that_clock) {
  World world = elastic_site();
  submit(world, 3600);
  const RunLog log = run_explained(world, "fifo", {{"clock", "zeus"}});
  EXPECT_EQ(said_at(0, 0, log, world),
            "next in the queue by fifo: submitted 00:00Z; at 500 MHz: with this clock it needs "
            "least energy on 1 GPU");
}

TEST(Reasons, tiresias_tells_queue_and_service) {
  World world = one_site(1, 1);
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 36'000, .actual = 36'000});
  add_job(world, {.submitted = 3600, .gpus = 1, .requested = 600, .actual = 600});
  const RunLog log = run_explained(world, "tiresias", {});
  EXPECT_EQ(
      said_at(3600, 0, log, world),
      "stopped: in queue 2 of 3 with 3600 GPU-seconds so far; asks for 1 GPU, those before it "
      "leave 0");
  EXPECT_EQ(said_at(3600, 1, log, world), "1 GPU: in queue 1 of 3 with 0 GPU-seconds so far");
}

TEST(Reasons, andreas_tells_the_expected_end_against_the_deadline) {
  World world = one_site(1, 1);
  world.signals[0].price = Signal<Price>::constant(Price(1));
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 3600, .actual = 3600});
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 3600, .actual = 3600});
  world.jobs[0].job.deadline = world.start() + 30min;
  world.jobs[1].job.deadline = world.start() + 4h;
  for (TracedJob& traced : world.jobs) traced.job.tardiness_weight = MoneyRate(0.01);
  const RunLog log = run_explained(world, "andreas", {});
  // A node of 100 W and its GPU of 400 W, at 1 a kWh.
  EXPECT_EQ(said_at(0, 0, log, world),
            "1 GPU: expected to end 01:00Z at 0.5 an hour, its share of the node included, due "
            "00:30Z: 30 min late, which costs 18");
  EXPECT_EQ(said_at(0, 1, log, world),
            "waits: the plan gives 1 of 1 GPUs to 1 job first; in time if it starts by 03:00Z");
}

TEST(Reasons, andreas_tells_until_when_it_waits_for_cheaper_power) {
  World world = one_site(1, 1);
  world.signals[0].price =
      Signal<Price>({{world.start(), Price(1)}, {world.start() + 2h, Price(0.1)}});
  add_job(world, {.submitted = 0, .gpus = 1, .requested = 3600, .actual = 3600});
  world.jobs[0].job.deadline = world.start() + 6h;
  const RunLog log = run_explained(world, "andreas", {});
  EXPECT_EQ(said_at(0, 0, log, world),
            "waits until 02:00Z: power is foretold to cost less before it is due 06:00Z");
}

}  // namespace
}  // namespace penstock
