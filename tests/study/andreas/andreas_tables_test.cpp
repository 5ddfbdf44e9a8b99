#include "study/andreas/andreas_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace penstock {
namespace {

AndreasCase one_job(std::uint64_t seed, double fifo, double pr) {
  const auto run = [](double total) {
    RunSummary summary;
    summary.jobs_submitted = 1;
    summary.preemptions = summary.resizes = summary.migrations = 0;
    summary.energy_cost = summary.total_cost = total;
    return summary;
  };
  return {{"server", 10, "high", seed},
          {{"fifo", run(fifo)}, {"edf", run(fifo)}, {"priority", run(fifo)}, {"pr", run(pr)}}};
}

/// Whether some line begins so and holds this too.
bool has_row(const std::string& text, const std::string& begin, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin + " ") && line.find(part) != std::string::npos) return true;
  return false;
}

TEST(AndreasText, has_the_mean_saving_and_its_interval) {
  // 20 and 40 % saved: 30 % on average, and Student's t for one degree of freedom is 12.7
  const std::string text = andreas_text({one_job(11, 10, 8), one_job(12, 10, 6)});
  EXPECT_NE(text.find("pr                      2    30.0 ±127.1 %"), std::string::npos) << text;
}

TEST(AndreasText, tells_other_weights_apart) {
  AndreasCase heavy = one_job(11, 10, 11);
  heavy.weights = 100;
  const std::string text = andreas_text({one_job(11, 10, 8), heavy});
  EXPECT_NE(text.find("pr                      1    20.0 %"), std::string::npos) << text;
  EXPECT_TRUE(has_row(text, "server, 10, high, x 100", "1   -10.0 %")) << text;
  EXPECT_TRUE(has_row(text, "authors', weights x 100", "1   -10.0 %")) << text;
  EXPECT_TRUE(has_row(text, "all workloads", "2     5.0 ±190.6 %")) << text;
}

TEST(AndreasText, tells_where_pr_is_dearer_than_a_rival) {
  AndreasCase dear = one_job(11, 10, 10.2);
  EXPECT_TRUE(has_row(andreas_text({dear}), "server, 10, high", "edf                -2.0 %"));
  dear.runs.push_back({"atc", dear.run("fifo")});
  EXPECT_FALSE(has_row(andreas_text({dear}), "server, 10, high", "atc "));
  EXPECT_NE(andreas_text({one_job(11, 10, 9)}).find("\nnone\n"), std::string::npos);
}

TEST(AndreasText, compares_with_those_that_have_a_node_each_and_the_authors_program) {
  AndreasCase each = one_job(11, 10, 8);
  for (const char* rival : {"fifo unique", "edf unique", "priority unique", "rg as published"}) {
    MethodRun run{rival, each.run("fifo")};
    run.run.total_cost = 32;
    each.runs.push_back(run);
  }
  const std::string text = andreas_text({each});
  EXPECT_TRUE(has_row(text, "all workloads", "75.0 %")) << text;
  EXPECT_TRUE(has_row(text, "rg as published", "-220.0 %")) << text;
}

TEST(AndreasText, keeps_the_generators_apart) {
  AndreasCase by_load = one_job(11, 10, 5);
  by_load.arrivals = "by-load";
  by_load.load = 0.8;
  by_load.slack = {1.1, 3};
  const std::string text = andreas_text({one_job(11, 10, 8), by_load});
  EXPECT_NE(text.find("pr                      1    20.0 %"), std::string::npos) << text;
  EXPECT_TRUE(has_row(text, "by load, 10 nodes, weights x 1", "1    50.0 %")) << text;
  EXPECT_TRUE(has_row(text, "server, 10, load 0.8, slack 1.1-3", "1    50.0 %")) << text;
}

TEST(AndreasCsv, has_a_row_for_each_run) {
  const std::string csv = andreas_csv({one_job(11, 10, 8)});
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  EXPECT_NE(csv.find("server,10,high,11,1,pr,1,8,0,8,0,0,0,0,0,0,0,0,,,\n"), std::string::npos)
      << csv;
}

}  // namespace
}  // namespace penstock
