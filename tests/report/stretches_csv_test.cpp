#include "report/stretches_csv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(StretchesCsv, writes_a_row_for_each_stretch) {
  const auto path = std::filesystem::path(testing::TempDir()) / "penstock-stretches.csv";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  const Time t0{};
  const Job named{.name = "bert, large"};
  const Job nameless{.id = JobId{7}};
  const Placement apart{{GpuId{0}, 2}, {GpuId{2}, 2}, {GpuId{7}, 1}};
  const Placement one{{GpuId{4}, 1}};
  StretchesCsv csv(*std::move(file), t0, {"north", "south"});
  csv.add({.job = named,
           .from = t0 + 250ms,
           .to = t0 + 90s,
           .where = apart,
           .site = SiteId{1},
           .clock_mhz = 1410,
           .batch = 64,
           .ended_by = StretchEnd::resized});
  csv.add(
      {.job = nameless, .from = t0, .to = t0 + 1h, .where = one, .ended_by = StretchEnd::killed});
  ASSERT_TRUE(csv.close());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "job_id,from_s,to_s,site,allocated_resources,clock_mhz,batch,ended_by\n"
            "\"bert, large\",0.250,90,south,0-3 7,1410,64,resized\n"
            "7,0,3600,north,4,,,killed\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock
