#include "report/measures/pareto.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

RunSummary run_with(std::optional<double> energy, std::optional<double> wait,
                    std::optional<double> utilization = std::nullopt) {
  return {.wait_mean_s = wait, .gpu_utilization = utilization, .energy_kwh = energy};
}

ParetoPair pair(std::string_view text) {
  return *parse_pair(text);
}

using Front = std::vector<bool>;

TEST(Pareto, nothing_on_the_front_is_worse_in_both) {
  const std::vector<RunSummary> runs{run_with(3, 1), run_with(2, 2), run_with(1, 3), run_with(2, 3),
                                     run_with(4, 4)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")),
            (Front{true, true, true, false, false}));
}

TEST(Pareto, equal_runs_are_on_the_front_together_or_not_at_all) {
  const std::vector<RunSummary> runs{run_with(1, 2), run_with(1, 2), run_with(2, 2), run_with(2, 2),
                                     run_with(1, 3)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")),
            (Front{true, true, false, false, false}));
}

TEST(Pareto, of_some_measures_more_is_better) {
  const std::vector<RunSummary> runs{run_with(1, 0, 0.5), run_with(2, 0, 0.9), run_with(3, 0, 0.8)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,gpu_utilization")), (Front{true, true, false}));
}

TEST(Pareto, runs_without_a_value_neither_are_on_it_nor_keep_others_off) {
  const std::vector<RunSummary> runs{run_with(1, std::nullopt), run_with(std::nullopt, 1),
                                     run_with(5, 5)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")), (Front{false, false, true}));
  EXPECT_EQ(pareto_front({}, pair("energy_kwh,wait_mean_s")), Front{});
}

TEST(Pareto, a_run_that_left_jobs_to_others_is_not_on_the_front) {
  std::vector<RunSummary> runs{run_with(1, 1), run_with(2, 2)};
  runs[0].jobs_unfinished = 3;
  runs[1].jobs_unfinished = 0;
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")), (Front{false, true}));
}

TEST(Pareto, the_order_of_runs_does_not_matter) {
  std::vector<RunSummary> runs;
  for (int i = 0; i < 50; ++i) runs.push_back(run_with(i * 7 % 11, i * 13 % 17));
  const Front forwards = pareto_front(runs, pair("energy_kwh,wait_mean_s"));
  const std::vector<RunSummary> turned(runs.rbegin(), runs.rend());
  const Front backwards = pareto_front(turned, pair("energy_kwh,wait_mean_s"));
  EXPECT_EQ(forwards, Front(backwards.rbegin(), backwards.rend()));
  for (std::size_t i = 0; i < runs.size(); ++i) {  // by the definition
    bool beaten = false;
    for (const RunSummary& other : runs)
      beaten =
          beaten ||
          (other.energy_kwh <= runs[i].energy_kwh && other.wait_mean_s <= runs[i].wait_mean_s &&
           (other.energy_kwh < runs[i].energy_kwh || other.wait_mean_s < runs[i].wait_mean_s));
    EXPECT_EQ(forwards[i], !beaten) << i;
  }
}

TEST(Pareto, what_is_no_pair_is_refused_with_what_is_possible) {
  EXPECT_EQ(parse_pair("energy_kwh").error().message,
            "'energy_kwh' is not two measures such as energy_kwh,jct_mean_s");
  EXPECT_TRUE(parse_pair("energy_kwh,speed")
                  .error()
                  .message.starts_with("there is no measure 'speed'; possible: jobs_finished "));
  EXPECT_TRUE(parse_pair("decisions,energy_kwh")
                  .error()
                  .message.starts_with("more or less is not better of 'decisions'; possible: "));
  EXPECT_EQ(usual_pairs().front().name(), "energy_kwh x jct_mean_s");
}

}  // namespace

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
