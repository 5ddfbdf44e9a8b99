#include "study/powerflow/powerflow_study.h"

#include <gtest/gtest.h>

#include <fstream>

#include "study/powerflow/tiny_case.h"

namespace penstock {
namespace {

TEST(PowerflowDuel, divides_the_rivals_times_by_ours_and_our_energy_by_his) {
  const std::vector cases{tiny_case(4, 2)};
  const auto duels = duels_of(cases, "afs", "as asked", 1);
  ASSERT_EQ(duels.size(), 1u);
  EXPECT_DOUBLE_EQ(duels[0].times_better(), 2);
  EXPECT_DOUBLE_EQ(duels[0].p95_better(), 2);
  EXPECT_DOUBLE_EQ(duels[0].energy_ratio(), 0.9);
  EXPECT_DOUBLE_EQ(duels_of(cases, "afs", "as asked", 0.8)[0].budget_use(), 0.9 / 0.8);
  EXPECT_TRUE(duels_of(cases, "afs", "as asked", 0.5).empty());
}

TEST(PowerflowDuel, is_lost_by_who_leaves_jobs) {
  std::vector cases{tiny_case(4, 2)};
  cases[0].ours[0].run.jobs_unfinished = 1;
  EXPECT_TRUE(duels_of(cases, "afs", "as asked", 1)[0].leaves_more());
  EXPECT_EQ(duels_of(cases, "afs", "as asked", 1)[0].times_better(), 0);
  cases[0].rivals[0].run.jobs_unfinished = 1;
  EXPECT_EQ(duels_of(cases, "afs", "as asked", 1)[0].times_better(), 2);
}

/// Four jobs on one node, with every rival.
TEST(PowerflowStudy, gives_powerflow_parts_of_the_energy_that_each_rival_used) {
  const std::filesystem::path folder = testing::TempDir();
  std::ofstream(folder / "tiny.toml")
      << "name = \"tiny\"\nseed = 7\n[workload]\ntrace = \"none\"\nformat = \"swf\"\nprofiles = "
         "\"" PENSTOCK_ROOT
         "/data/models/a100.toml\"\nstart = \"2021-01-01T00:00Z\"\noversized = "
         "\"drop\"\nlimit = 4\n[[site]]\nname = \"here\"\npue = 1.3\n"
         "[[site.nodes]]\ncount = 1\ngpus = 8\ngpu = \"a100\"\n";
  const auto result = run_powerflow_case({.cluster = "tiny",
                                          .trace = "elasticflow",
                                          .file = PENSTOCK_ROOT "/data/elasticflow.csv.gz",
                                          .format = "elasticflow",
                                          .load = 0.5,
                                          .seed = 3,
                                          .fronts = true,
                                          .ablations = true},
                                         folder, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->rivals.front().method, "tiresias");
  EXPECT_EQ(result->rivals.back().method, "afs zeus");
  EXPECT_EQ(result->rivals.size(), 12u);
  EXPECT_EQ(result->front.size(), 7u);
  // As asked against each, free against the seven as published, three parts of afs's energy in both
  // ways, and seven parts of powerflow left out at two of them.
  EXPECT_EQ(result->ours.size(), 12u + 7 + 6 + 14);
  for (const PowerflowRun& ours : result->ours) {
    EXPECT_EQ(ours.run.jobs_finished, 4) << ours.rival << " " << ours.variant;
    const std::string budget = ours.run.options.at("energy_budget");
    const double kwh = *run_of(result->rivals, ours.rival).energy_kwh * ours.part;
    EXPECT_NEAR(std::stod(budget), kwh, 1e-5) << ours.rival;
    EXPECT_EQ(ours.run.options.contains("budget_gpu_hours"),
              ours.variant != "told nothing of arrivals");
  }
}

}  // namespace
}  // namespace penstock
