#include "report/pareto.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

RunSummary run(std::optional<double> energy, std::optional<double> wait,
               std::optional<double> utilization = std::nullopt) {
  return {.wait_mean_s = wait, .gpu_utilization = utilization, .energy_kwh = energy};
}

ParetoPair pair(std::string_view text) {
  return *parse_pair(text);
}

using Front = std::vector<bool>;

TEST(Pareto, nothing_on_the_front_is_worse_in_both) {
  const std::vector<RunSummary> runs{run(3, 1), run(2, 2), run(1, 3), run(2, 3), run(4, 4)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")),
            (Front{true, true, true, false, false}));
}

TEST(Pareto, equal_runs_are_on_the_front_together_or_not_at_all) {
  const std::vector<RunSummary> runs{run(1, 2), run(1, 2), run(2, 2), run(2, 2), run(1, 3)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")),
            (Front{true, true, false, false, false}));
}

TEST(Pareto, of_some_measures_more_is_better) {
  const std::vector<RunSummary> runs{run(1, 0, 0.5), run(2, 0, 0.9), run(3, 0, 0.8)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,gpu_utilization")), (Front{true, true, false}));
}

TEST(Pareto, runs_without_a_value_neither_are_on_it_nor_keep_others_off) {
  const std::vector<RunSummary> runs{run(1, std::nullopt), run(std::nullopt, 1), run(5, 5)};
  EXPECT_EQ(pareto_front(runs, pair("energy_kwh,wait_mean_s")), (Front{false, false, true}));
  EXPECT_EQ(pareto_front({}, pair("energy_kwh,wait_mean_s")), Front{});
}

TEST(Pareto, the_order_of_runs_does_not_matter) {
  std::vector<RunSummary> runs;
  for (int i = 0; i < 50; ++i) runs.push_back(run(i * 7 % 11, i * 13 % 17));
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
}  // namespace penstock
