#include "study/powerflow/powerflow_tables.h"

#include <gtest/gtest.h>

#include "study/powerflow/tiny_case.h"

namespace penstock {
namespace {

TEST(PowerflowText, has_the_geometric_mean_over_cases) {
  const std::string text = powerflow_text({tiny_case(4, 2), tiny_case(8, 1)});
  EXPECT_NE(text.find("Geometric\nmeans over 2 cases"), std::string::npos) << text;
  EXPECT_NE(text.find("\nafs                  4.00"), std::string::npos) << text;
  // 90 of 100 kWh are 129 % of a budget of 70 kWh, in both cases.
  EXPECT_NE(text.find("\n70 %       4.00"), std::string::npos) << text;
  EXPECT_NE(text.find("129%     2     0"), std::string::npos) << text;
  EXPECT_NE(text.find("tiny at load 0.6 on one"), std::string::npos) << text;
  EXPECT_EQ(text.find("By cluster"), std::string::npos) << "there is one only";
  EXPECT_EQ(text.find("Without parts"), std::string::npos) << "none was left out";
}

TEST(PowerflowText, counts_jobs_that_are_left_as_a_loss) {
  std::vector cases{tiny_case(4, 2), tiny_case(8, 1)};
  cases[1].ours[0].run.jobs_unfinished = 3;
  const std::string text = powerflow_text(cases);
  EXPECT_NE(text.find("\nafs                  0.00"), std::string::npos) << text;
  EXPECT_NE(text.find("3 left"), std::string::npos) << text;
}

TEST(PowerflowText, compares_clusters_and_what_is_left_out) {
  std::vector cases{tiny_case(4, 2), tiny_case(9, 3)};
  cases[1].spec.cluster = "two";
  cases[0].spec.ablations = true;
  cases[0].ours.push_back({"afs", "no clocks", 1, finished_run(4, 95)});
  cases[0].ours.push_back({"afs", "no clocks", 0.8, finished_run(8, 80)});
  const std::string text = powerflow_text(cases);
  EXPECT_NE(text.find("means over 1 cases"), std::string::npos)
      << "the first cluster is the main one";
  EXPECT_NE(text.find("two           1"), std::string::npos) << text;
  EXPECT_NE(text.find("3.00 (3.00)"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "no clocks                        1.00     95%    95%   0.00     0.50     80%   100%"),
      std::string::npos)
      << text;
}

TEST(PowerflowText, says_so_if_no_case_is_wanted) {
  EXPECT_EQ(powerflow_text({}), "no case has a trace of these names\n");
}

TEST(PowerflowCsv, has_a_row_for_each_run) {
  PowerflowCase one = tiny_case(4, 2);
  one.ours.resize(1);
  one.front.push_back(finished_run(1, 50));
  one.front.back().options["energy_price"] = "30";
  EXPECT_EQ(powerflow_csv({one}),
            "trace,load,rival,policy,energy_kwh,jct_mean_s,jct_p95_s,jobs_finished,jobs_submitted,"
            "resizes,migrations,preemptions,decision_p99_us,cluster,seed,variant,part,jct_p99_s\n"
            "tiny,0.6,afs,afs,100,14400,28800,2,2,4,0,0,0,one,7,,,32000\n"
            "tiny,0.6,afs,powerflow,90,7200,14400,2,2,4,0,0,0,one,7,as asked,1,16000\n"
            "tiny,0.6,,powerflow front,50,3600,7200,2,2,4,0,0,0,one,7,energy_price=30,,8000\n");
}

TEST(PowerflowSvg, has_a_panel_for_each_case_with_a_front) {
  PowerflowCase one = tiny_case(4, 2);
  EXPECT_EQ(powerflow_svg({one}, "tiny").find("at load 0.6"), std::string::npos);
  one.front.push_back(finished_run(1, 50));
  EXPECT_NE(powerflow_svg({one}, "tiny").find("at load 0.6"), std::string::npos);
}

}  // namespace
}  // namespace penstock
