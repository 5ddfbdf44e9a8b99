#include "report/terminal/table.h"

#include <gtest/gtest.h>

#include "report/terminal/text.h"

namespace penstock {
namespace {

RunSummary fifo() {
  return {.policy = "fifo",
          .jct_mean_s = 36000,
          .jct_p95_s = 180000,
          .wait_mean_s = 7200,
          .bounded_slowdown_mean = 123.456,
          .makespan_s = 3456000,
          .gpu_utilization = 0.6875,
          .energy_kwh = 12345.6,
          .energy_cost = 1500,
          .carbon_kg = 4000,
          .deadline_misses = std::nullopt,
          .preemptions = 0};
}

RunSummary srtf() {
  RunSummary run = fifo();
  run.policy = "srtf";
  run.jct_mean_s = 18000;
  run.jct_p95_s = 198000;
  run.wait_mean_s = 720;
  run.bounded_slowdown_mean = 1.5;
  run.makespan_s = 3456000;
  run.gpu_utilization = 0.7;
  run.energy_cost = 1499.6;
  run.carbon_kg = 12000;
  run.preemptions = 1234;
  return run;
}

TEST(Table, marks_the_best_and_shows_the_change_against_the_first_row) {
  const std::vector<RunSummary> runs{fifo(), srtf()};
  EXPECT_EQ("\n" + render_table(runs, {.currency = "EUR"}), R"(
policy  mean JCT  p95 JCT  mean wait  slowdown  makespan  GPU util  energy   cost  carbon  preempted
               h        h        min                   d         %     kWh    EUR      kg
----------------------------------------------------------------------------------------------------
fifo       10.00     50.0*     120.0    123.46      40.0      68.8  12,346  1,500   4,000*         0*
srtf        5.00*    55.0       12.0*     1.50*     40.0      70.0* 12,346  1,500  12,000      1,234
          -50.0%   +10.0%     -90.0%    -98.8%      0.0%     +1.8%    0.0%   0.0%   +200%
*: best of its column; below each value: change against fifo
)");
}

TEST(Table, gives_changes_of_utility_as_differences_and_says_so) {
  const std::vector<RunSummary> runs{{.policy = "local", .jct_mean_s = 100, .utility = -0.684},
                                     {.policy = "mpc", .jct_mean_s = 110, .utility = -0.394},
                                     {.policy = "random", .jct_mean_s = 90, .utility = -1.2}};
  EXPECT_EQ("\n" + render_table(runs, {}), R"(
policy  mean JCT  utility
               s
-------------------------
local      100.0   -0.684
mpc        110.0   -0.394*
          +10.0%   +0.290
random      90.0*  -1.200
          -10.0%   -0.516
*: best of its column; below each value: change against local (of utility: the difference)
)");
}

TEST(Table, shows_the_total_cost_where_it_is_not_the_cost_of_energy_alone) {
  RunSummary late = fifo();
  late.total_cost = 1500;
  EXPECT_EQ(render_table(std::span(&late, 1), {}).find("total cost"), std::string::npos);
  late.tardiness_cost = 70;
  late.total_cost = 1570;
  const std::string text = render_table(std::span(&late, 1), {});
  EXPECT_NE(text.find("cost  tardiness  total cost"), std::string::npos) << text;
  EXPECT_NE(text.find("1,500       70.0       1,570"), std::string::npos) << text;
}

TEST(Table, tells_that_nobody_is_late_where_jobs_have_deadlines) {
  RunSummary run = fifo();
  EXPECT_EQ(render_table(std::span(&run, 1), {}).find("late"), std::string::npos);
  run.deadline_misses = 0;
  EXPECT_NE(render_table(std::span(&run, 1), {}).find("late"), std::string::npos);
}

TEST(Table, gives_no_percent_of_a_negative_value) {
  const std::vector<RunSummary> runs{{.policy = "a", .energy_cost = -200},
                                     {.policy = "b", .energy_cost = -300},
                                     {.policy = "c", .energy_cost = 100},
                                     {.policy = "d", .energy_cost = -200}};
  const std::string text = render_table(runs, {.currency = "EUR"});
  EXPECT_NE(text.find("-100"), std::string::npos) << text;
  EXPECT_NE(text.find("+300"), std::string::npos) << text;
  EXPECT_EQ(text.find('%'), std::string::npos) << text;
  EXPECT_NE(text.find("(of cost: the difference)"), std::string::npos) << text;
}

TEST(Table, gives_no_star_to_a_run_that_left_jobs_to_others) {
  const std::vector<RunSummary> runs{
      {.policy = "afs", .jobs_unfinished = 0, .jct_mean_s = 90, .energy_kwh = 40},
      {.policy = "hasty", .jobs_unfinished = 37, .jct_mean_s = 30, .energy_kwh = 20},
      {.policy = "slow", .jobs_unfinished = 0, .jct_mean_s = 100, .energy_kwh = 30}};
  EXPECT_EQ("\n" + render_table(runs, {}), R"(
policy  unfinished  mean JCT  energy
                           s     kWh
------------------------------------
afs              0*     90.0*   40.0
hasty           37      30.0    20.0
                      -66.7%  -50.0%
slow             0*    100.0    30.0*
                      +11.1%  -25.0%
*: best of its column; below each value: change against afs
runs that leave more jobs unfinished than another get no star: means are over finished jobs
)");
}

TEST(Table, of_one_run_compares_nothing) {
  const std::vector<RunSummary> runs{fifo()};
  EXPECT_EQ("\n" + render_table(runs, {}), R"(
policy  mean JCT  p95 JCT  mean wait  slowdown  makespan  GPU util  energy   cost  carbon
               h        h        min                   d         %     kWh  money      kg
-----------------------------------------------------------------------------------------
fifo        10.0     50.0        120       123      40.0      68.8  12,346  1,500   4,000
)");
}

TEST(Table, leaves_out_columns_that_say_nothing_and_shows_single_gaps) {
  const std::vector<RunSummary> runs{
      {.policy = "fifo", .jct_mean_s = 90, .wait_mean_s = 0, .deadline_misses = 0},
      {.policy = "edf", .jct_mean_s = 45.678, .deadline_misses = 12},
      {.policy = "none"},
  };
  EXPECT_EQ("\n" + render_table(runs, {}), R"(
policy  mean JCT  late
               s
----------------------
fifo        90.0     0*
edf         45.7*   12
          -49.2%
none           -     -
*: best of its column; below each value: change against fifo
)");
}

TEST(Table, chooses_units_by_the_largest_value_of_a_column) {
  const auto units = [](double s, double kwh) {
    const std::vector<RunSummary> runs{{.policy = "p", .jct_mean_s = s, .energy_kwh = kwh}};
    std::string text = render_table(runs, {});
    text.erase(0, text.find('\n') + 1);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(units(299, 99'999), "               s     kWh");
  EXPECT_EQ(units(300, 100'000), "             min     MWh");
  EXPECT_EQ(units(5 * 3600, 1), "               h     kWh");
  EXPECT_EQ(units(10 * 86400, 1e8), "               d     GWh");
}

TEST(Table, paints_instead_of_starring_when_colour_is_on) {
  const std::vector<RunSummary> runs{{.policy = "fifo", .jct_mean_s = 100},
                                     {.policy = "sjf", .jct_mean_s = 50}};
  EXPECT_EQ(render_table(runs, {.colour = true}),
            "policy  mean JCT\n"
            "               s\n"
            "----------------\n"
            "fifo       100.0\n"
            "sjf         \x1b[1m50.0\x1b[0m\n"
            "          \x1b[2m-50.0%\x1b[0m\n"
            "\x1b[1mbold\x1b[0m: best of its column; below each value: change against fifo\n");
}

TEST(Table, stays_within_its_width_by_shortening_names) {
  RunSummary large = srtf();
  large.policy = "größter-policy-name with options that go on and on for quite a while";
  large.energy_kwh = 99'999;
  large.energy_cost = 123'456.78;
  large.carbon_kg = 99'999;
  large.deadline_misses = 12'345;
  large.preemptions = 1'234'567;
  const std::vector<RunSummary> runs{fifo(), large};
  const std::string text = render_table(runs, {.width = 120});
  EXPECT_NE(text.find("größter-poli"), std::string::npos) << text;
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.rfind("\n*"); at = text.find('\n', at) + 1)
    widest = std::max(widest, display_width(text.substr(at, text.find('\n', at) - at)));
  EXPECT_EQ(widest, 120u) << text;
}

TEST(Table, leaves_out_columns_before_it_gives_two_runs_one_name) {
  RunSummary quick = fifo();
  quick.policy = "some-policy with-an-option=quick";
  RunSummary slow = fifo();
  slow.policy = "some-policy with-an-option=slow";
  const std::vector<RunSummary> runs{quick, slow};
  EXPECT_NE(render_table(runs, {.width = 140}).find("GPU util"), std::string::npos);
  const std::string text = render_table(runs, {.width = 110});
  EXPECT_EQ(text.find("GPU util"), std::string::npos) << text;
  EXPECT_NE(text.find("makespan"), std::string::npos) << text;
  EXPECT_NE(text.find("option=slow"), std::string::npos) << text;
}

TEST(Table, names_only_the_options_that_not_all_runs_share) {
  const std::vector<RunSummary> runs{
      {.policy = "fifo", .options = {{"backfill", "none"}, {"place", "buddy"}}},
      {.policy = "fifo", .options = {{"backfill", "easy"}, {"place", "buddy"}}},
      {.policy = "sjf", .options = {{"backfill", "easy"}, {"place", "buddy"}}},
  };
  EXPECT_EQ(run_labels(runs), (std::vector<std::string>{"fifo backfill=none", "fifo backfill=easy",
                                                        "sjf backfill=easy"}));
}

TEST(Table, of_no_runs_is_empty) {
  EXPECT_EQ(render_table({}, {}), "");
}

TEST(Table, words_of_each_run_stand_behind_its_measures) {
  const std::vector<RunSummary> runs{fifo(), srtf()};
  const std::string text = render_table(runs, {.text_columns = {{"fronts", {"a", "ab"}}}});
  EXPECT_NE(text.find("fronts\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" a\nsrtf"), std::string::npos) << text;
  EXPECT_NE(text.find(" ab\n"), std::string::npos) << text;
}

}  // namespace

}  // namespace penstock
