#include "page/packed/run.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Two runs over the same two jobs.
struct TwoRuns {
  std::vector<StoredRun> runs = std::vector<StoredRun>(2);
  std::vector<RunTables> tables = std::vector<RunTables>(2);

  TwoRuns() {
    for (std::size_t i = 0; i < 2; ++i) {
      runs[i].summary.jobs_submitted = 2;
      tables[i].jobs = {{.name = "a", .gpus = 1, .finish = Duration(5000)},
                        {.name = "b", .submitted = Duration(1000), .gpus = 1}};
    }
  }
};

TEST(PackRuns, share_the_jobs_that_were_submitted) {
  const TwoRuns two;
  const auto packed = pack_runs({.runs = two.runs, .tables = two.tables});
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->populations.size(), 1u);
  EXPECT_EQ(packed->runs[1].population, 0u);
  EXPECT_EQ(packed->runs[1].jobs->rows, 2u);
  EXPECT_TRUE(packed->notes.empty());
}

TEST(PackRuns, leave_jobs_out_beyond_the_limit_and_say_so) {
  const TwoRuns two;
  const auto packed = pack_runs({.runs = two.runs, .tables = two.tables, .limits = {.jobs = 3}});
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->runs[0].jobs);
  EXPECT_FALSE(packed->runs[1].jobs);
  ASSERT_EQ(packed->notes.size(), 1u);
  EXPECT_EQ(packed->notes[0],
            "The single jobs of 1 runs are not on this page, which holds 3 rows of jobs at most.");
}

TEST(PackRuns, refuse_what_lasts_longer_than_a_page_can_count) {
  TwoRuns two;
  two.runs[0].shown_dir = "results";
  two.tables[0].jobs->front().finish = std::chrono::days(70 * 365);
  const auto packed = pack_runs({.runs = two.runs, .tables = two.tables});
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().message,
            "results: lasts for more than 68 years, which no page can show");
}

}  // namespace
}  // namespace penstock
