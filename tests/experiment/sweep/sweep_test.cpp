#include "experiment/sweep/sweep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "experiment/sweep/merge.h"
#include "experiment/two_jobs.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// Two policies at two PUEs, into a folder of the test's own.
class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    request_.out = (fs::path(testing::TempDir()) / test->name()).string();
    fs::remove_all(request_.out);
    spec_.vary = {{"site.pue", {"1", "2"}}};
    auto plan = plan_sweep(spec_);
    EXPECT_TRUE(plan);
    sweep_.plan = *std::move(plan);
    sweep_.runner = [this](const SweepFolder&, const std::vector<std::size_t>& points) {
      began_ = points;
      return simulate_points(sweep_.plan, spec_, points, hooks_.note);
    };
    hooks_.note = [this](std::string_view line) { notes_.emplace_back(line); };
  }
  ~SweepTest() override { fs::remove_all(request_.out); }

  Result<std::optional<SweepFolder>> run() { return run_sweep(sweep_, request_, hooks_); }

  ExperimentSpec spec_ = two_jobs({{"fifo"}, {"sjf"}});
  SweepRequest request_{};
  PlannedSweep sweep_{};
  SweepHooks hooks_{};
  std::vector<std::size_t> began_{};
  std::vector<std::string> notes_{};
};

TEST_F(SweepTest, stores_every_point_and_merges_them) {
  const auto folder = run();
  ASSERT_TRUE(folder && *folder);
  EXPECT_TRUE((*folder)->missing().empty());
  const auto merged = merge_simulations(**folder, usual_pairs());
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->runs.size(), 4u);
  EXPECT_DOUBLE_EQ(*merged->runs[0].energy_kwh, 5.5);
  EXPECT_DOUBLE_EQ(*merged->runs[3].energy_kwh, 11);
  ASSERT_FALSE(merged->fronts.empty());
  EXPECT_EQ(merged->fronts[0].on_front, (std::vector<bool>{false, true, false, false}));
  EXPECT_TRUE(fs::exists(fs::path(request_.out) / "sweep.csv"));
}

TEST_F(SweepTest, runs_again_only_what_is_missing) {
  ASSERT_TRUE(run());
  fs::remove_all(fs::path(request_.out) / sweep_.plan.points[2].folder);
  ASSERT_TRUE(run());
  EXPECT_EQ(began_, std::vector<std::size_t>{2});
  EXPECT_EQ(notes_, std::vector<std::string>{"3 of 4 points are there already"});
}

TEST_F(SweepTest, a_task_runs_its_points_alone) {
  ASSERT_TRUE(SweepFolder::open(request_.out, sweep_.plan));
  request_.points = "0-1";
  const auto folder = run();
  ASSERT_TRUE(folder);
  EXPECT_FALSE(*folder);
  EXPECT_EQ(began_, (std::vector<std::size_t>{0, 1}));
  request_.of = "another";
  EXPECT_TRUE(run().error().message.starts_with("--of another: the sweep is now "));
}

TEST_F(SweepTest, tells_why_a_point_failed_and_goes_on) {
  sweep_.runner = [](const SweepFolder&, const std::vector<std::size_t>&) -> RunPoint {
    return [](std::size_t point) -> Result<std::string> {
      if (point == 1) return Error{"no luck"};
      return std::string("{}");
    };
  };
  const auto folder = run();
  ASSERT_TRUE(folder && *folder);
  EXPECT_EQ((*folder)->missing(), std::vector<std::size_t>{1});
  EXPECT_EQ(check_failures(**folder).error().message,
            "1 of 4 points failed\nsjf site.pue=1: no luck");
}

TEST_F(SweepTest, begins_no_point_after_a_stop) {
  std::stop_source stop;
  stop.request_stop();
  hooks_.stop = stop.get_token();
  const auto folder = run();
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "the sweep was stopped");
  EXPECT_EQ(SweepFolder::open(request_.out, sweep_.plan)->missing().size(), 4u);
}

TEST_F(SweepTest, refuses_a_folder_with_something_else_in_it) {
  fs::create_directories(request_.out);
  std::ofstream(fs::path(request_.out) / "thesis.tex") << "mine";
  const auto folder = run();
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("it holds 'thesis.tex'"), std::string::npos);
}

}  // namespace
}  // namespace penstock
