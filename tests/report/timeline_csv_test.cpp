#include "report/timeline_csv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(TimelineCsv, writes_a_head_and_a_row_per_site_and_instant) {
  const auto path = std::filesystem::path(testing::TempDir()) / "penstock-timeline.csv";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  const Time t0{};
  TimelineCsv csv(*std::move(file), t0);
  csv.add({.time = t0 + 1500ms,
           .site = "frankfurt",
           .busy_gpus = 6,
           .idle_gpus = 2,
           .sleeping_nodes = 1,
           .queued_jobs = 3,
           .running_jobs = 2,
           .power = Watts(2600.5),
           .price = Price(-0.02),
           .carbon = CarbonIntensity(381),
           .cap = Watts(3000)});
  csv.add({.time = t0 + 2h, .site = "new york, us"});
  ASSERT_TRUE(csv.close());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "time_s,site,busy_gpus,idle_gpus,sleeping_nodes,queued_jobs,running_jobs,power_w,"
            "price,carbon_g_per_kwh,cap_w\n"
            "1.500,frankfurt,6,2,1,3,2,2600.5,-0.02,381,3000\n"
            "7200,\"new york, us\",0,0,0,0,0,0,0,0,\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock
