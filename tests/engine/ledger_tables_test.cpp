// Nodes that cost what a table says for the number of their GPUs that jobs hold.
#include <gtest/gtest.h>

#include "engine/ledger.h"
#include "model/sharing.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Node 0 has 4 GPUs and both tables; node 1 has 2 GPUs, a table of rent and power of its own
/// (100 W around GPUs of 10 W idle); node 2 has 2 GPUs and no table. A kWh costs 0.2, emits 500 g.
class LedgerTables : public testing::Test {
 protected:
  static Cluster three_nodes() {
    Cluster cluster;
    cluster.types = {{.name = "tesla", .idle = Watts(10), .peak = Watts(300), .sleep = Watts(1)}};
    const auto rents = [](const std::vector<double>& by_hour) {
      std::vector<MoneyRate> by_second;
      by_second.reserve(by_hour.size());
      for (const double rent : by_hour) by_second.emplace_back(rent / 3600);
      return by_second;
    };
    const NodeTables both{.power = {Watts(0), Watts(530), Watts(700), Watts(870), Watts(1040)},
                          .rent = rents({0.06, 0.6, 0.9, 1.2, 1.5})};
    const NodeTables rent{.power = {}, .rent = rents({0, 1, 1.5})};
    add_site(cluster, "here",
             {{.count = 1, .gpus = 4, .base_sleep = Watts(20), .tables = both},
              {.count = 1, .gpus = 2, .base = Watts(100), .tables = rent},
              {.count = 1, .gpus = 2, .base = Watts(100)}});
    return cluster;
  }
  JobState job(std::uint32_t id, Placement where) const {
    return {.job = {.id = JobId{id}}, .where = std::move(where), .started = now};
  }
  void pass(Duration time) {
    now += time;
    ledger.advance(now);
  }
  SiteBill settled() {
    ledger.settle();
    return ledger.site(SiteId{0});
  }
  Bill stop(const JobState& job) {
    ledger.job_stopped(job);
    return ledger.take(job.job.id);
  }
  /// What the plain nodes draw when nothing runs on them, for each hour.
  static constexpr double kIdleKwh = 4 * 0.01;
  static constexpr double kBaseKwh = 2 * 0.1;

  Time now{1000h};
  Cluster cluster = three_nodes();
  SiteSignals signals{.price = Signal<Price>::constant(Price(0.2)),
                      .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(500)),
                      .pue = Signal<Ratio>::constant(Ratio(1)),
                      .cap = std::nullopt,
                      .temperature = std::nullopt,
                      .known_until = std::nullopt};
  Ledger ledger{cluster, {&signals, 1}, now};
};

/// Money and carbon follow from the energy.
void expect_energy_and_rent(const Bill& bill, double kwh, double rent) {
  EXPECT_NEAR(kilowatt_hours(bill.energy), kwh, 1e-12);
  EXPECT_NEAR(bill.cost.value(), kwh * 0.2, 1e-12);
  EXPECT_NEAR(bill.carbon.value(), kwh * 500, 1e-9);
  EXPECT_NEAR(bill.rent.value(), rent, 1e-12);
}

TEST_F(LedgerTables, two_jobs_share_a_node_by_their_gpus_while_both_are_there) {
  const JobState a = job(0, {{GpuId{0}, 1}});
  ledger.job_started(a, Watts(77));
  pass(1h);  // 530 W and 0.6, all of it for a
  const JobState b = job(1, {{GpuId{2}, 2}});
  ledger.job_started(b, Watts(77));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(870 + 40 + 200));
  pass(1h);  // 870 W and 1.2, a third for a
  expect_energy_and_rent(stop(a), 0.53 + 0.29, 0.6 + 0.4);
  pass(1h);  // 700 W and 0.9, all of it for b
  expect_energy_and_rent(stop(b), 0.58 + 0.7, 0.8 + 0.9);
  expect_energy_and_rent(settled().jobs, 0.53 + 0.87 + 0.7, 0.6 + 1.2 + 0.9);
  expect_energy_and_rent(settled().idle, 3 * kIdleKwh, 0);
  expect_energy_and_rent(settled().overhead, 3 * kBaseKwh, 0);
  expect_energy_and_rent(ledger.so_far(), 2.1 + 3 * (kIdleKwh + kBaseKwh), 2.7);
}

TEST_F(LedgerTables, an_unused_node_is_overhead_and_a_sleeping_one_pays_no_rent) {
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(0 + 40 + 200));
  pass(1h);
  ledger.node_changed(NodeId{0}, NodePhase::awake, NodePhase::asleep);
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(24 + 40 + 200));
  pass(1h);
  expect_energy_and_rent(settled().idle, 2 * kIdleKwh + 0.004, 0);
  expect_energy_and_rent(settled().overhead, 2 * kBaseKwh + 0.02, 0.06);
  ledger.node_changed(NodeId{0}, NodePhase::asleep, NodePhase::down);
  pass(1h);
  expect_energy_and_rent(settled().overhead, 3 * kBaseKwh + 0.02, 0.06);
  ledger.node_changed(NodeId{0}, NodePhase::down, NodePhase::awake);
  const JobState a = job(0, {{GpuId{0}, 4}});
  ledger.job_started(a, Watts(77));
  pass(2h);
  expect_energy_and_rent(ledger.so_far(), 5 * (kIdleKwh + kBaseKwh) + 0.024 + 2.08, 0.06 + 3);
  expect_energy_and_rent(stop(a), 2.08, 3);
  pass(1h);
  expect_energy_and_rent(settled().overhead, 6 * kBaseKwh + 0.02, 0.06 + 0.06);
}

TEST(LedgerOfSlices, two_jobs_on_halves_of_a_gpu_share_what_one_used_gpu_costs) {
  using std::chrono::hours;
  Cluster cluster;
  cluster.types = {{.name = "tesla"}};
  cluster.share = 4;
  const NodeTables by_gpus{.power = {Watts(0), Watts(530), Watts(700)}, .rent = {}};
  add_site(cluster, "here", {{.count = 1, .gpus = 8, .tables = by_slices(by_gpus, cluster.share)}});
  const SiteSignals signals{.price = Signal<Price>::constant(Price(0.2)),
                            .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(0)),
                            .pue = Signal<Ratio>::constant(Ratio(1)),
                            .cap = std::nullopt,
                            .temperature = std::nullopt,
                            .known_until = std::nullopt};
  const Time begin{hours(1)};
  Ledger ledger(cluster, {&signals, 1}, begin);
  const auto job = [&](std::uint32_t id, GpuRange where, Time started) {
    return JobState{.job = {.id = JobId{id}}, .where = {where}, .started = started};
  };
  const JobState a = job(0, {GpuId{0}, 2}, begin);
  const JobState b = job(1, {GpuId{2}, 2}, begin);
  const JobState c = job(2, {GpuId{4}, 1}, begin + hours(1));
  ledger.job_started(a, Watts(0));
  ledger.job_started(b, Watts(0));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(530));
  ledger.advance(begin + hours(1));
  ledger.job_started(c, Watts(0));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(700));
  ledger.advance(begin + hours(2));
  for (const JobState& each : {a, b, c}) ledger.job_stopped(each);
  EXPECT_NEAR(kilowatt_hours(ledger.take(a.job.id).energy), 0.53 / 2 + 0.7 * 2 / 5, 1e-12);
  EXPECT_NEAR(kilowatt_hours(ledger.take(b.job.id).energy), 0.53 / 2 + 0.7 * 2 / 5, 1e-12);
  EXPECT_NEAR(kilowatt_hours(ledger.take(c.job.id).energy), 0.7 / 5, 1e-12);
}

TEST_F(LedgerTables, a_job_on_several_nodes_pays_each_as_it_is_billed) {
  // 4 GPUs at 50 W each: two on the node with both tables, one where only rent has a table.
  const JobState a = job(0, {{GpuId{0}, 1}, {GpuId{3}, 1}, {GpuId{4}, 1}, {GpuId{6}, 1}});
  ledger.job_started(a, Watts(200));
  EXPECT_EQ(ledger.load(SiteId{0}), Watts(700 + 50 + 50 + 20 + 200));
  pass(1h);
  ledger.job_changed(a, Watts(400));
  pass(1h);
  expect_energy_and_rent(stop(a), 2 * 0.7 + 2 * 0.05 + 2 * 0.1, 2 * 0.9 + 2 * 1);
  expect_energy_and_rent(settled().idle, 2 * 0.02, 0);
  expect_energy_and_rent(settled().overhead, 2 * kBaseKwh, 0);
}

TEST_F(LedgerTables, a_job_that_comes_back_pays_only_for_its_stays) {
  const JobState b = job(1, {{GpuId{1}, 1}});
  ledger.job_started(b, Watts(0));
  for (int i = 0; i < 2; ++i) {
    const JobState a = job(0, {{GpuId{2}, 2}});
    ledger.job_started(a, Watts(0));
    pass(30min);
    ledger.job_stopped(a);
    pass(30min);
  }
  expect_energy_and_rent(ledger.take(JobId{0}), 0.58, 0.8);
  expect_energy_and_rent(stop(b), 0.29 + 0.53, 0.4 + 0.6);
}

}  // namespace
}  // namespace penstock
