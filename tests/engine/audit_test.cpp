#include "engine/audit.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr GpuId kPlain{0};
constexpr GpuId kRented{2};
constexpr GpuId kByTable{4};

/// Three nodes of two GPUs: a plain one, one with a table of rent (1 and 1.5 an hour) and one with
/// a table of power (600 and 1000 W). A kWh costs 1. It is believed that the one kind there is gets
/// on by 1 a second, whatever its GPUs, each of which draws 1 kW: an hour of one costs 1.
class PredictedCost : public testing::Test {
 protected:
  static Cluster three_nodes() {
    Cluster cluster;
    cluster.types = {{.name = "tesla"}};
    const NodeTables rent{.power = {},
                          .rent = {MoneyRate(0), MoneyRate(1 / 3600.0), MoneyRate(1.5 / 3600.0)}};
    const NodeTables power{.power = {Watts(0), Watts(600), Watts(1000)}, .rent = {}};
    add_site(cluster, "here",
             {{.count = 1, .gpus = 2},
              {.count = 1, .gpus = 2, .tables = rent},
              {.count = 1, .gpus = 2, .tables = power}});
    return cluster;
  }
  PredictedCost() {
    models.set(models.add_kind(), {}, {.speed = {.alpha_c = 1}, .power = {.p0 = Watts(1000)}});
  }

  /// The job is there from now on and gets on by so much a second at `draw`.
  void run(Placement where, double speed, Watts draw, Duration overhead = {}) {
    job.where = std::move(where);
    job.started = now;
    job.work_begins = now + overhead;
    job.batch = 1;
    ledger.job_started(job, draw);
    audit.begin(job, now, {Speed(speed / 1e3), draw}, models);
  }
  /// It goes on where it is, but otherwise.
  void change(double speed, Watts draw) {
    job.work_begins = now;
    ledger.job_changed(job, draw);
    audit.end(job.job.id, now);
    audit.begin(job, now, {Speed(speed / 1e3), draw}, models);
  }
  void pass(Duration time) {
    now += time;
    ledger.advance(now);
  }
  void stop() {
    ledger.job_stopped(job);
    audit.end(job.job.id, now);
  }
  /// Ends the job; its user had said that it would be so much work.
  void expect(double said, double predicted, double paid) {
    stop();
    job.job.work = Work(said);
    const auto found = audit.take(job.job);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->value(), predicted, 1e-12);
    const Bill bill = ledger.take(job.job.id);
    EXPECT_NEAR((bill.cost + bill.rent).value(), paid, 1e-12);
  }

  Time now{1000h};
  Cluster cluster = three_nodes();
  SiteSignals signals{.price = Signal<Price>::constant(Price(1)),
                      .carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(0)),
                      .pue = Signal<Ratio>::constant(Ratio(1)),
                      .cap = std::nullopt,
                      .temperature = std::nullopt,
                      .known_until = std::nullopt};
  Ledger ledger{cluster, {&signals, 1}, now};
  Audit audit{cluster, ledger};
  Models models{1};
  JobState job{.job = {.id = JobId{0}, .kind_id = KindId{0}}, .phase = Phase::running};
};

TEST_F(PredictedCost, is_what_was_paid_where_beliefs_are_right) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  expect(3600, 1, 1);
}

TEST_F(PredictedCost, is_less_for_a_job_that_was_believed_too_fast) {
  run({{kPlain, 1}}, 0.8, Watts(1000));
  pass(75min);  // an hour was expected
  expect(3600, 1, 1.25);
}

TEST_F(PredictedCost, of_a_job_that_was_found_half_done_is_that_of_the_other_half) {
  job.done = Work(1800);
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(30min);
  expect(3600, 0.5, 0.5);
}

/// It was told to begin anew, and has read a checkpoint by its first word.
TEST_F(PredictedCost, of_a_job_whose_checkpoint_was_not_believed_in_does_not_leap) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(30min);
  stop();
  audit.keep(job.job.id, Work(0));
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(10s);
  audit.got_to(job.job.id, {Work(1801), now - 9s});
  change(1, Watts(1000));
  pass(1790s);
  expect(3600, 1, 1);
}

TEST_F(PredictedCost, follows_the_draw_that_was_believed) {
  run({{kPlain, 1}}, 0.8, Watts(500));
  pass(75min);
  expect(3600, 1, 0.625);
}

TEST_F(PredictedCost, of_rent_follows_the_time_alone) {
  run({{kRented, 1}}, 0.8, Watts(500));
  pass(1h);
  expect(0.8 * 3600, 0.8 * (2 * 0.5 + 1), 0.5 + 1);
}

TEST_F(PredictedCost, of_a_table_of_power_follows_the_time_alone) {
  run({{kByTable, 2}}, 0.8, Watts(1));
  pass(1h);
  expect(0.8 * 3600, 0.8, 1);
}

TEST_F(PredictedCost, of_a_place_on_both_kinds_of_node_follows_each) {
  run({{kPlain, 1}, {kByTable, 1}}, 0.8, Watts(1000));  // 500 W count, the rest is in the table
  pass(1h);
  expect(0.8 * 3600, 0.8 * (1 + 0.6), 0.5 + 0.6);
}

TEST_F(PredictedCost, of_a_resized_job_is_that_of_its_stretches) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  stop();
  run({{kPlain, 2}}, 0.5, Watts(2000), 6min);
  pass(1h);  // what took 54 minutes was believed to take 27
  expect(3600 + 1620, 1 + 2 * 0.55, 1 + 2);
}

TEST_F(PredictedCost, of_a_job_driven_otherwise_counts_tables_up_to_then) {
  run({{kRented, 1}}, 0.5, Watts(1000));
  pass(1h);
  change(1, Watts(500));
  pass(1h);
  expect(1800 + 3600, 0.5 * (1 + 1) + (1 + 1), 1 + 1 + 0.5 + 1);
}

TEST_F(PredictedCost, counts_beliefs_of_the_time_when_a_stretch_began) {
  run({{kPlain, 1}}, 0.5, Watts(1000));
  models.set(KindId{0}, {}, {.speed = {.alpha_c = 2}, .power = {.p0 = Watts(1000)}});
  pass(1h);
  stop();
  run({{kPlain, 1}}, 0.5, Watts(1000));
  pass(1h);
  expect(3600, 0.5 + 1, 2);
}

TEST_F(PredictedCost, is_for_the_work_that_the_user_said) {
  run({{kPlain, 1}}, 1, Watts(1000), 30min);
  pass(1h);
  expect(3600, 0.5 + 1, 1);  // another half hour of work, but no other restart
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  expect(900, 0.25, 1);
}

TEST_F(PredictedCost, is_not_shortened_by_what_a_millisecond_hides) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  expect(3599.9995, 1, 1);
}

TEST_F(PredictedCost, counts_lost_work_as_it_was_lost) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  stop();
  audit.keep(job.job.id, Work(1800));
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(30min);
  expect(3600, 1.5, 1.5);
}

TEST_F(PredictedCost, of_a_job_that_never_worked_is_what_was_paid) {
  run({{kPlain, 1}}, 1, Watts(1000), 1h);
  pass(1h);
  expect(3600, 1, 1);
}

TEST_F(PredictedCost, is_nothing_where_nothing_is_believed) {
  job.job.kind_id = std::nullopt;
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  stop();
  EXPECT_EQ(audit.take(job.job), std::nullopt);
  job.job.kind_id = KindId{1};
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(1h);
  stop();
  EXPECT_EQ(audit.take(job.job), std::nullopt);
}

TEST_F(PredictedCost, holds_models_against_what_was_measured) {
  run({{kPlain, 1}}, 1, Watts(1000));  // as is believed
  pass(1h);
  ledger.job_drew(job, Watts(500));
  audit.drew(job.job.id, Watts(500));
  audit.got_to(job.job.id, {Work(1800), now});  // half as far as was believed
  change(1, Watts(1000));
  pass(30min);
  // It was believed that 1800 takes half an hour at 1 kW; an hour at 0.5 kW is as much.
  expect(3600, 0.5 + 0.5, 0.5 + 0.5);
}

TEST_F(PredictedCost, is_nothing_for_the_time_before_a_late_start) {
  run({{kPlain, 1}}, 1, Watts(1000));
  pass(30min);
  ledger.job_drew(job, Watts(100));
  audit.drew(job.job.id, Watts(100));
  audit.got_to(job.job.id, {Work(0), now});
  change(1, Watts(1000));
  pass(1h);
  expect(3600, 1, 0.05 + 1);
}

}  // namespace
}  // namespace penstock
