#include "report/sweep_csv.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::vector<RunSummary> three_runs() {
  return {{.wait_mean_s = 5, .energy_kwh = 1},
          {.wait_mean_s = 4, .energy_kwh = 2},
          {.energy_kwh = 0.5}};
}

std::vector<ParetoFront> fronts(const std::vector<RunSummary>& runs) {
  const std::vector<ParetoPair> pairs{*parse_pair("energy_kwh,wait_mean_s"),
                                      *parse_pair("total_cost,tardiness_mean_s")};
  return fronts_of(runs, pairs);
}

TEST(SweepCsv, fronts_without_values_are_left_out) {
  const auto found = fronts(three_runs());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().pair.name(), "energy_kwh x wait_mean_s");
  EXPECT_EQ(found.front().size(), 2u);
}

TEST(SweepCsv, has_the_point_then_measures_then_fronts) {
  const std::vector<PointColumns> points{{{"point", "p1"}, {"site.pue", "1,1"}},
                                         {{"point", "p2"}, {"site.pue", "1.2"}},
                                         {{"point", "p3"}, {"site.pue", "1.3"}}};
  const auto runs = three_runs();
  const std::string text = sweep_csv(points, runs, fronts(runs));
  EXPECT_TRUE(text.starts_with("point,site.pue,jobs_submitted,"));
  EXPECT_NE(text.find(",pareto_energy_kwh_wait_mean_s\np1,\"1,1\","), std::string::npos);
  EXPECT_NE(text.find(",1\np2,1.2,"), std::string::npos);
  EXPECT_NE(text.find(",1\np3,1.3,"), std::string::npos);
  EXPECT_TRUE(text.ends_with(",\n"));  // no wait: neither on the front nor off it
}

TEST(SweepCsv, marks_say_by_letters_who_is_on_which_front) {
  const auto runs = three_runs();
  EXPECT_EQ(front_marks(3, fronts(runs)), (std::vector<std::string>{"a", "a", "-"}));
  EXPECT_EQ(front_legend(fronts(runs)),
            "a: on the Pareto front of energy_kwh x wait_mean_s (2 points)\n");
}

}  // namespace
}  // namespace penstock
