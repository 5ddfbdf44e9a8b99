#include "study/powerflow/powerflow_study.h"

#include <gtest/gtest.h>

#include <fstream>

namespace penstock {
namespace {

RunSummary finished(double jct_hours, double energy_kwh) {
  RunSummary run;
  run.jobs_submitted = run.jobs_finished = 2;
  run.jct_mean_s = 3600 * jct_hours;
  run.jct_p95_s = 7200 * jct_hours;
  run.energy_kwh = energy_kwh;
  run.resizes = 4;
  run.migrations = run.preemptions = 0;
  return run;
}

PowerflowCase one_case(double theirs, double ours) {
  return {.trace = "tiny",
          .load = 0.6,
          .rivals = {{"afs", finished(theirs, 100), finished(ours, 90)}},
          .front = {}};
}

TEST(RivalComparison, divides_the_rivals_times_by_ours_and_our_energy_by_his) {
  const PowerflowCase one = one_case(4, 2);
  EXPECT_DOUBLE_EQ(one.rivals[0].jct_ratio(), 2);
  EXPECT_DOUBLE_EQ(one.rivals[0].p95_ratio(), 2);
  EXPECT_DOUBLE_EQ(one.rivals[0].energy_ratio(), 0.9);
  EXPECT_TRUE(one.rivals[0].all_finished());
}

TEST(PowerflowText, has_the_geometric_mean_over_cases) {
  const std::string text = powerflow_text({one_case(4, 2), one_case(8, 1)});
  EXPECT_NE(text.find("afs                    4.00     2.00     8.00         4.00           90%"
                      "             0           0 of 2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("tiny at load 0.6"), std::string::npos);
}

TEST(PowerflowCsv, has_a_row_for_each_side_of_a_comparison) {
  PowerflowCase one = one_case(4, 2);
  one.front.push_back(finished(1, 50));
  EXPECT_EQ(powerflow_csv({one}),
            "trace,load,rival,policy,energy_kwh,jct_mean_s,jct_p95_s,jobs_finished,jobs_submitted,"
            "resizes,migrations,preemptions,decision_p99_us\n"
            "tiny,0.6,afs,afs,100,14400,28800,2,2,4,0,0,0\n"
            "tiny,0.6,afs,powerflow,90,7200,14400,2,2,4,0,0,0\n"
            "tiny,0.6,,powerflow front,50,3600,7200,2,2,4,0,0,0\n");
}

TEST(PowerflowStudy, gives_powerflow_the_energy_that_each_rival_used) {
  const std::filesystem::path scenario =
      std::filesystem::path(testing::TempDir()) / "powerflow_tiny.toml";
  std::ofstream(scenario) << "name = \"tiny\"\nseed = 7\n[workload]\ntrace = \"" PENSTOCK_ROOT
                             "/data/elasticflow.csv.gz\"\nformat = \"elasticflow\"\nprofiles = "
                             "\"" PENSTOCK_ROOT
                             "/data/models/a100.toml\"\nstart = \"2021-01-01T00:00Z\"\noversized = "
                             "\"drop\"\nlimit = 4\n[[site]]\nname = \"here\"\npue = 1.3\n"
                             "[[site.nodes]]\ncount = 1\ngpus = 8\ngpu = \"a100\"\n";
  std::string said;
  StudyRequest request;
  request.note = [&](std::string_view line) { said += line; };
  const auto cases = run_powerflow_trace(scenario, {0.5}, request);
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_EQ(said, "study powerflow: powerflow_tiny at load 0.5");
  ASSERT_EQ(cases->size(), 1u);
  ASSERT_EQ(cases->front().rivals.size(), 12u);
  EXPECT_EQ(cases->front().rivals.front().rival, "tiresias");
  EXPECT_EQ(cases->front().rivals.back().rival, "sjf zeus");
  for (const RivalComparison& each : cases->front().rivals) {
    EXPECT_EQ(each.theirs.jobs_finished, 4) << each.rival;
    EXPECT_LE(each.energy_ratio(), 1 + 1e-9) << each.rival;
  }
  EXPECT_EQ(cases->front().front.size(), 7u);
}

}  // namespace
}  // namespace penstock
