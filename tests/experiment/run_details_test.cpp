#include "experiment/run_details.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kDetailStart{1000h};

/// A site "small" of one node with two GPUs, and "large" of two nodes with four. A GPU draws 10 W
/// while idle; PUE is 2 at the second site, which has a cap.
class RunDetailsTest : public testing::Test {
 protected:
  RunDetailsTest() {
    scenario.cluster.types = {{.name = "plain", .idle = Watts(10), .peak = Watts(100)}};
    add_site(scenario.cluster, "small", {{.count = 1, .gpus = 2}});
    add_site(scenario.cluster, "large", {{.count = 2, .gpus = 4}});
    scenario.signals.resize(2);
    scenario.signals[1].pue = Signal<Ratio>::constant(Ratio(2));
    scenario.signals[1].cap = Signal<Watts>::constant(Watts(900));
    scenario.signals[0].price =
        Signal<Price>({{kDetailStart, Price(1)}, {kDetailStart + 1h, Price(3)}});
    state.emplace(scenario.cluster, Costs{}, kDetailStart);
    ledger.emplace(scenario.cluster, scenario.signals, kDetailStart);
    for (std::uint32_t i = 0; i < 2; ++i) {
      state->admit({.id = {i}, .submitted = kDetailStart, .gpus = 3});
      state->apply(JobSubmitted{{i}}, kDetailStart);
    }
  }
  std::vector<TimelineRow> rows(Duration after = 0h) const {
    return timeline_rows(kDetailStart + after, scenario, *state, *ledger);
  }
  DetailRecorder recorder(const DetailOptions& options) const {
    return {options, scenario, kDetailStart};
  }
  /// A batch at this time after the start, as the engine shows it before it is applied.
  void pass(DetailRecorder& details, Duration after) const {
    Batch batch;
    batch.now = kDetailStart + after;
    details.before(batch, *state, *ledger);
  }

  Scenario scenario;
  std::optional<State> state;
  std::optional<Ledger> ledger;
};

TEST_F(RunDetailsTest, a_row_counts_idle_gpus_only_on_nodes_that_are_awake) {
  state->apply(Start{.job = {0}, .where = {{GpuId{2}, 3}}, .knobs = {}}, kDetailStart);
  EXPECT_EQ(rows()[1].busy_gpus, 3u);
  EXPECT_EQ(rows()[1].idle_gpus, 5u);
  EXPECT_EQ(rows()[1].running_jobs, 1u);
  state->apply(Sleep{NodeId{2}}, kDetailStart);
  EXPECT_EQ(rows()[1].idle_gpus, 1u);
  EXPECT_EQ(rows()[1].sleeping_nodes, 1u);
  state->apply(NodeFailed{NodeId{0}}, kDetailStart);
  EXPECT_EQ(rows()[0].idle_gpus, 0u);
  EXPECT_EQ(rows()[0].sleeping_nodes, 0u) << "it is down, which is something else";
}

TEST_F(RunDetailsTest, a_row_shows_what_is_drawn_from_the_grid_and_what_that_costs_then) {
  const auto at_first = rows();
  ASSERT_EQ(at_first.size(), 2u);
  EXPECT_EQ(at_first[0].site, "small");
  EXPECT_EQ(at_first[0].power, Watts(20));
  EXPECT_EQ(at_first[1].power, Watts(160)) << "8 GPUs, at a PUE of 2";
  EXPECT_EQ(at_first[0].price, Price(1));
  EXPECT_EQ(rows(1h)[0].price, Price(3));
  EXPECT_EQ(at_first[0].cap, std::nullopt);
  EXPECT_EQ(at_first[1].cap, Watts(900));
  EXPECT_EQ(at_first[0].queued_jobs, 2u) << "of the whole system";
}

TEST_F(RunDetailsTest, a_timeline_begins_at_once_and_misses_no_instant) {
  DetailRecorder details = recorder({.timeline_every = 10min});
  pass(details, 0min);
  pass(details, 9min);
  pass(details, 35min);
  const RunDetails kept = details.take();
  ASSERT_EQ(kept.timeline.size(), 8u) << "two sites at four instants";
  EXPECT_EQ(kept.timeline[2].time, kDetailStart + 10min);
  EXPECT_EQ(kept.timeline[3].site, "large");
  EXPECT_EQ(kept.timeline.back().time, kDetailStart + 30min);
}

TEST_F(RunDetailsTest, a_decision_to_do_nothing_is_left_out) {
  DetailRecorder details = recorder({.decisions = true});
  details.decided(kDetailStart, {.reason = "it is quiet"}, *state);
  details.decided(kDetailStart + 1h,
                  {.actions = {Start{.job = {1}, .where = {{GpuId{2}, 3}}, .knobs = {}}},
                   .reason = "there is room",
                   .because = {{JobId{1}, "it is next"}}},
                  *state);
  const RunDetails kept = details.take();
  ASSERT_EQ(kept.decisions.size(), 1u);
  EXPECT_EQ(kept.decisions[0].time, kDetailStart + 1h);
  EXPECT_EQ(kept.decisions[0].queued_jobs, 2u) << "before the actions";
  EXPECT_EQ(kept.decisions[0].running_jobs, 0u);
  EXPECT_EQ(kept.decisions[0].reason, "there is room");
  EXPECT_EQ(kept.decisions[0].because.front().text, "it is next");
}

TEST_F(RunDetailsTest, a_job_is_kept_as_it_ended) {
  DetailRecorder details = recorder({.jobs = true});
  const Job job{.id = {7},
                .submitted = kDetailStart,
                .gpus = 3,
                .deadline = kDetailStart + 5h,
                .name = "late"};
  const Placement where{{GpuId{2}, 3}};
  details.ended({.job = job,
                 .outcome = Outcome::killed,
                 .first_start = kDetailStart + 1h,
                 .finish = kDetailStart + 6h,
                 .held = 4h,
                 .where = where,
                 .site = {1},
                 .gpus_mean = 2.5,
                 .clock_mean_mhz = 900,
                 .preemptions = 1,
                 .interruptions = 2,
                 .resizes = 3,
                 .migrations = 4,
                 .bill = {.energy = Joules(5)}});
  EXPECT_EQ(details.take().jobs, std::vector<JobResult>({{.id = 7,
                                                          .name = "late",
                                                          .site = "large",
                                                          .outcome = Outcome::killed,
                                                          .submitted = kDetailStart,
                                                          .first_start = kDetailStart + 1h,
                                                          .finish = kDetailStart + 6h,
                                                          .held = 4h,
                                                          .gpus = 3,
                                                          .gpus_mean = 2.5,
                                                          .clock_mean_mhz = 900,
                                                          .preemptions = 1,
                                                          .interruptions = 2,
                                                          .resizes = 3,
                                                          .migrations = 4,
                                                          .bill = {.energy = Joules(5)},
                                                          .deadline = kDetailStart + 5h}}));
}

TEST_F(RunDetailsTest, nothing_is_kept_that_nobody_asked_for) {
  DetailRecorder details = recorder({});
  pass(details, 1h);
  details.decided(kDetailStart, {.actions = {Sleep{NodeId{0}}}}, *state);
  const Job job{};
  const Placement where;
  details.ended({.job = job, .where = where});
  const RunDetails kept = details.take();
  EXPECT_TRUE(kept.timeline.empty());
  EXPECT_TRUE(kept.decisions.empty());
  EXPECT_TRUE(kept.jobs.empty());
}

}  // namespace
}  // namespace penstock
