#include "engine/ledger.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// One node of two GPUs (100 W idle, 10 W asleep), 300 W around them (50 W asleep).
/// PUE 2; a kWh costs 0.1 in the first hour and 0.4 from then on, and emits 500 g.
class LedgerTest : public testing::Test {
 protected:
  static Cluster one_node() {
    Cluster cluster;
    cluster.types = {{.name = "plain", .idle = Watts(100), .peak = Watts(500), .sleep = Watts(10)}};
    add_site(cluster, "here",
             {{.count = 1, .gpus = 2, .base = Watts(300), .base_sleep = Watts(50)}});
    return cluster;
  }
  SiteBill settled() {
    ledger.settle();
    return ledger.site(SiteId{0});
  }

  Time t0{1000h};
  Cluster cluster = one_node();
  SiteSignals signals{.price = Signal<Price>({{t0, Price(0.1)}, {t0 + 1h, Price(0.4)}}),
                      .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(500)),
                      .pue = Signal<Ratio>::constant(Ratio(2)),
                      .cap = std::nullopt,
                      .temperature = std::nullopt,
                      .known_until = std::nullopt};
  Ledger ledger{cluster, {&signals, 1}, t0};
  JobState job{.job = {.id = JobId{3}}, .where = {{GpuId{0}, 1}}};
};

void expect_bill(const Bill& bill, double kwh, double cost, double grams) {
  EXPECT_NEAR(kilowatt_hours(bill.energy), kwh, 1e-12);
  EXPECT_NEAR(bill.cost.value(), cost, 1e-12);
  EXPECT_NEAR(bill.carbon.value(), grams, 1e-9);
}

TEST_F(LedgerTest, an_idle_site_pays_for_idle_gpus_and_overhead) {
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(500));
  ledger.advance(t0 + 2h);
  expect_bill(settled().idle, 0.8, 0.4 * 0.1 + 0.4 * 0.4, 400);
  expect_bill(settled().overhead, 1.2, 0.6 * 0.1 + 0.6 * 0.4, 600);
  expect_bill(settled().jobs, 0, 0, 0);
}

TEST_F(LedgerTest, a_job_pays_for_its_gpus_while_it_holds_them) {
  job.started = t0 + 30min;
  ledger.advance(t0 + 30min);
  ledger.job_started(job, Watts(400));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(800));
  ledger.advance(t0 + 90min);
  ledger.job_stopped(job);
  const Bill bill = ledger.take(JobId{3});
  expect_bill(bill, 0.8, 0.4 * 0.1 + 0.4 * 0.4, 400);
  EXPECT_EQ(settled().jobs, bill);
  expect_bill(settled().idle, 0.2 + 0.1 + 0.1, (0.2 + 0.1) * 0.1 + 0.1 * 0.4, 200);
  EXPECT_EQ(ledger.gpu_time(SiteId{0}), Duration(1h));
}

TEST_F(LedgerTest, new_signals_change_the_price_from_then_on_and_nothing_before) {
  job.started = t0;
  ledger.job_started(job, Watts(500));
  ledger.advance(t0 + 30min);  // 0.5 kWh at 0.1
  const SiteSignals dearer{.price = Signal<Price>::constant(Price(1)),
                           .pue = Signal<Ratio>::constant(Ratio(1)),
                           .cap = std::nullopt,
                           .temperature = std::nullopt,
                           .known_until = std::nullopt};
  ledger.follow({&dearer, 1});
  ledger.advance(t0 + 60min);  // 0.25 kWh at 1, and nobody cools or emits any more
  ledger.job_stopped(job);
  expect_bill(ledger.take(JobId{3}), 0.75, 0.5 * 0.1 + 0.25, 250);
  expect_bill(settled().idle, 0.1 + 0.05, 0.01 + 0.05, 50);
}

TEST_F(LedgerTest, a_sleeping_node_draws_its_sleep_power_and_a_broken_one_nothing) {
  ledger.node_changed(NodeId{0}, NodePhase::awake, NodePhase::asleep);
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(70));
  ledger.advance(t0 + 1h);
  ledger.node_changed(NodeId{0}, NodePhase::asleep, NodePhase::down);
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(0));
  ledger.advance(t0 + 5h);
  expect_bill(settled().total(), 0.14, 0.014, 70);
}

TEST_F(LedgerTest, a_job_driven_otherwise_pays_its_new_draw_from_then_on) {
  job.started = t0;
  ledger.job_started(job, Watts(400));
  ledger.advance(t0 + 1h);
  ledger.job_changed(job, Watts(100));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(100 + 100 + 300));
  ledger.advance(t0 + 2h);
  expect_bill(ledger.so_far(), 2 * (0.8 + 0.5), 1.6 * 0.1 + 1 * 0.4, 1300);
  ledger.job_stopped(job);
  expect_bill(ledger.take(JobId{3}), 0.8 + 0.2, 0.8 * 0.1 + 0.2 * 0.4, 500);
  EXPECT_EQ(ledger.gpu_time(SiteId{0}), Duration(2h));
}

TEST_F(LedgerTest, a_moved_job_pays_for_all_its_places) {
  job.started = t0;
  ledger.job_started(job, Watts(400));
  ledger.advance(t0 + 1h);
  ledger.job_stopped(job);
  job.started = t0 + 1h;
  job.where = {{GpuId{0}, 2}};
  ledger.job_started(job, Watts(800));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(800 + 300)) << "nothing is idle";
  ledger.advance(t0 + 2h);
  ledger.job_stopped(job);
  expect_bill(ledger.take(JobId{3}), 0.8 + 1.6, 0.8 * 0.1 + 1.6 * 0.4, 1200);
  EXPECT_EQ(ledger.gpu_time(SiteId{0}), Duration(3h));
}

TEST_F(LedgerTest, what_was_measured_replaces_what_was_thought) {
  ledger.job_started(job, Watts(400));
  ledger.advance(t0 + 30min);
  ledger.settle();  // the site has been billed at 400 W until here
  ledger.advance(t0 + 90min);
  ledger.job_drew(job, Watts(200));  // on average, in all 90 minutes
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(600));
  expect_bill(ledger.so_far(), 1.8, (0.2 + 0.3 + 0.1) * 2 * (1 * 0.1 + 0.5 * 0.4), 900);
  ledger.job_changed(job, Watts(500));
  ledger.advance(t0 + 120min);
  ledger.job_stopped(job);
  expect_bill(ledger.take(JobId{3}), 0.6 + 0.5, 0.4 * 0.1 + (0.2 + 0.5) * 0.4, 550);
  expect_bill(settled().total(), 1.8 + 0.9, 0.6 * 2 * (0.1 + 0.2) + 0.9 * 0.4, 1350);
  EXPECT_NEAR(ledger.so_far().cost.value(), settled().total().cost.value(), 1e-12);
}

}  // namespace
}  // namespace penstock
