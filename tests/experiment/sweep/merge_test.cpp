#include "experiment/sweep/merge.h"

#include "experiment/sweep/own_sweep.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// Points that draw 3, 1 and 2 kWh and take 1, 2 and 3 seconds a job.
class MergeTest : public OwnSweep {
 protected:
  MergeTest() : folder(*open()) {
    for (std::size_t i = 0; i < plan.points.size(); ++i)
      plan.combinations[i] = {"site.pue=1." + std::to_string(i), "seed=" + std::to_string(i)};
  }
  void store(std::size_t point, double kwh, double seconds) {
    const RunSummary run{.policy = "fifo", .jct_mean_s = seconds, .energy_kwh = kwh};
    store_text(
        point,
        summary_json(
            {.version = "1", .scenario = "s", .seed = point, .point = plan.points[point].facts},
            std::span(&run, 1)));
  }
  void store_text(std::size_t point, const std::string& text) {
    ASSERT_TRUE(folder.store(point, text));
  }
  std::string text(const char* file) const {
    const auto read = read_file(out / file);
    return read ? *read : "";
  }

  SweepFolder folder;
  const std::vector<ParetoPair> pairs = usual_pairs();
};

TEST_F(MergeTest, of_nothing_writes_nothing) {
  const auto merged = merge_simulations(folder, pairs);
  ASSERT_TRUE(merged);
  EXPECT_TRUE(merged->runs.empty());
  EXPECT_EQ(merged->summary, "");
  EXPECT_FALSE(fs::exists(out / "summary.json") || fs::exists(out / "sweep.csv"));
}

TEST_F(MergeTest, puts_the_points_that_are_there_in_the_order_of_the_plan) {
  store(2, 2, 3);
  store(0, 3, 1);
  const auto merged = merge_simulations(folder, pairs);
  ASSERT_TRUE(merged) << merged.error().message;
  ASSERT_EQ(merged->runs.size(), 2u);
  EXPECT_EQ(merged->runs[0].energy_kwh, 3);
  EXPECT_EQ(merged->runs[1].energy_kwh, 2);
  EXPECT_EQ(merged->head.version, "1");
  EXPECT_TRUE(merged->head.point.empty()) << "it is of several";
  EXPECT_EQ(text("summary.json"), merged->summary);
}

TEST_F(MergeTest, says_in_a_table_what_each_point_changed) {
  store(0, 3, 1);
  store(1, 1, 2);
  ASSERT_TRUE(merge_simulations(folder, pairs));
  const std::string csv = text("sweep.csv");
  EXPECT_TRUE(csv.starts_with("point,policy,site.pue,seed,")) << csv;
  EXPECT_NE(csv.find("\n" + plan.points[1].folder + ",point-1,1.1,1,"), std::string::npos) << csv;
}

TEST_F(MergeTest, names_a_file_that_is_not_of_its_point) {
  store_text(1, "{}");
  const auto merged = merge_simulations(folder, pairs);
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().message.find(plan.points[1].folder), std::string::npos)
      << merged.error().message;
}

TEST_F(MergeTest, refuses_a_point_with_several_runs) {
  const std::vector<RunSummary> two(2, RunSummary{.policy = "fifo"});
  store_text(1, summary_json({.version = "1", .point = plan.points[1].facts}, two));
  const auto merged = merge_simulations(folder, pairs);
  ASSERT_FALSE(merged);
  EXPECT_TRUE(merged.error().message.ends_with("summary.json: must hold one run"))
      << merged.error().message;
  EXPECT_FALSE(fs::exists(out / "sweep.csv"));
}

TEST_F(MergeTest, takes_only_the_first_equals_sign_of_a_change_for_one) {
  plan.combinations[0] = {"site.price={ fixed = \"1 EUR/kWh\" }", "policy.name=fifo"};
  using Changes = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(changes_of(plan, plan.points[0]),
            (Changes{{"site.price", "{ fixed = \"1 EUR/kWh\" }"}, {"policy.name", "fifo"}}));
}

}  // namespace
}  // namespace penstock
