#include "study/mars/mars_report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

constexpr RunField kBoundedSlowdown = &RunSummary::bounded_slowdown_mean;

/// Every heuristic has a slowdown of 9 but fifo and sjf.
MarsWindow window(MarsPart part, std::uint32_t number, double fifo, double sjf) {
  MarsWindow result{.workload = "lublin", .part = part, .number = number};
  for (const std::string& name : heuristic_names()) {
    const double other = name == "sjf" ? sjf : 9;
    result.runs.push_back({name, {.bounded_slowdown_mean = name == "fifo" ? fifo : other}});
  }
  return result;
}

const std::vector<MarsWindow>& two_windows() {
  static const std::vector<MarsWindow> windows{window(MarsPart::training, 1, 2, 3),
                                               window(MarsPart::test, 1, 4, 2),
                                               window(MarsPart::test, 2, 3, 1)};
  return windows;
}

TEST(MarsScores, choose_a_heuristic_on_training_windows_and_judge_it_on_test_windows) {
  const MarsScores scores(two_windows(), "lublin");
  EXPECT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores.best_single(kBoundedSlowdown), "fifo");
  EXPECT_EQ(scores.best_on_test(kBoundedSlowdown), "sjf");
  EXPECT_EQ(scores.values("fifo", kBoundedSlowdown), (std::vector<double>{4, 3}));
  EXPECT_EQ(scores.hindsight(kBoundedSlowdown), (std::vector<double>{2, 1}));
}

TEST(MarsScores, have_no_values_of_a_method_that_has_not_run) {
  const MarsScores scores(two_windows(), "lublin");
  EXPECT_FALSE(scores.has("mars"));
  EXPECT_TRUE(scores.values("mars", kBoundedSlowdown).empty());
  EXPECT_EQ(mean_of({}), 0);
  EXPECT_EQ(mean_of({1, 2, 6}), 3);
}

TEST(MarsCsv, has_a_row_for_each_run_and_leaves_out_what_is_undefined) {
  const std::string csv = mars_csv(two_windows());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')),
            1 + 3 * heuristic_names().size());
  EXPECT_NE(csv.find("\nlublin,test,1,0,fifo,,4,,,,,,,,\n"), std::string::npos) << csv;
}

TEST(MarsSvg, draws_the_test_windows) {
  EXPECT_NE(mars_svg(two_windows(), "lublin").find("lublin: 2 test windows"), std::string::npos);
}

}  // namespace
}  // namespace penstock
