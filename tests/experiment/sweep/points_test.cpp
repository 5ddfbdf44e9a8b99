#include "experiment/sweep/points.h"

#include <mutex>

#include "experiment/sweep/own_sweep.h"
#include "experiment/two_jobs.h"
#include "report/files/summary_json.h"

namespace penstock {
namespace {

using RunPointsTest = OwnSweep;

TEST_F(RunPointsTest, stores_each_and_tells_progress) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  WorkProgress last{};
  const RunPoint run = [&](std::size_t i) { return Result<std::string>(summary_of(i)); };
  ASSERT_TRUE(run_points(*folder, {0, 2}, run, 2,
                         {.progress = [&](const WorkProgress& work) { last = work; }}));
  EXPECT_EQ(folder->missing(), std::vector<std::size_t>{1}) << "nobody asked for it";
  EXPECT_EQ(*folder->read(2), summary_of(2));
  EXPECT_TRUE(last.ended);
  EXPECT_EQ(last.done, 2u);
  EXPECT_EQ(last.expected, 2u);
}

TEST_F(RunPointsTest, goes_on_after_a_point_that_failed) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  const RunPoint run = [&](std::size_t i) -> Result<std::string> {
    if (i == 0) return Error{"no luck"};
    return summary_of(i);
  };
  EXPECT_TRUE(run_points(*folder, {0, 1, 2}, run, 1, {}));
  EXPECT_EQ(folder->missing(), std::vector<std::size_t>{0});
  EXPECT_EQ(folder->failures({0, 1, 2}).at(0).reason, "no luck");
}

TEST_F(RunPointsTest, gives_up_if_results_cannot_be_stored) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  write(plan.points[0].folder, "a file where a folder must be");
  std::size_t runs = 0;
  const RunPoint run = [&](std::size_t i) {
    ++runs;
    return Result<std::string>(summary_of(i));
  };
  const auto done = run_points(*folder, {0, 1, 2}, run, 1, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(runs, 1u) << "it is no use going on";
}

TEST_F(RunPointsTest, begins_none_after_a_stop) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  std::stop_source stop;
  const RunPoint run = [&](std::size_t i) {
    stop.request_stop();
    return Result<std::string>(summary_of(i));
  };
  const auto done = run_points(*folder, {0, 1, 2}, run, 1, {.stop = stop.get_token()});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the sweep was stopped");
  EXPECT_EQ(folder->missing(), (std::vector<std::size_t>{1, 2})) << "the first was in hand";
}

/// Two policies at two PUEs, in the world of two_jobs.h.
class SimulatePoints : public testing::Test {
 protected:
  SimulatePoints() {
    spec.vary = {{"site.pue", {"1", "2"}}};
    auto planned = plan_sweep(spec);
    EXPECT_TRUE(planned);
    plan = *std::move(planned);
  }
  ExperimentSpec spec = two_jobs({{"fifo"}, {"sjf"}});
  SweepPlan plan;
  NoteCallback silent;
};

TEST_F(SimulatePoints, runs_a_policy_in_its_combination) {
  const std::vector<std::size_t> points{0, 3};
  const RunPoint run = simulate_points(plan, spec, points, silent);
  const auto first = run(0);
  const auto last = run(3);
  ASSERT_TRUE(first && last);
  const auto fifo = parse_summary(*first);
  const auto sjf = parse_summary(*last);
  ASSERT_TRUE(fifo && sjf);
  EXPECT_EQ(fifo->runs.front().policy, "fifo");
  EXPECT_DOUBLE_EQ(*fifo->runs.front().energy_kwh, 5.5);
  EXPECT_EQ(sjf->runs.front().policy, "sjf");
  EXPECT_DOUBLE_EQ(*sjf->runs.front().energy_kwh, 11);
}

TEST_F(SimulatePoints, writes_down_which_point_a_summary_is_of) {
  const std::vector<std::size_t> points{2};
  const auto summary = parse_summary(*simulate_points(plan, spec, points, silent)(2));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->head.point, plan.points[2].facts);
}

TEST_F(SimulatePoints, fails_alone_if_its_jobs_cannot_be_read) {
  const std::vector<std::size_t> points{0, 1};
  spec.text->dir = "/nowhere";
  const RunPoint run = simulate_points(plan, spec, points, silent);
  for (const std::size_t point : points) {
    const auto summary = run(point);
    ASSERT_FALSE(summary);
    EXPECT_NE(summary.error().message.find("/nowhere/two-jobs.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace penstock
