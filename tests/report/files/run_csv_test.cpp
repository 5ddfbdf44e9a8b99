#include "report/files/run_csv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "report/three_jobs.h"

namespace penstock {
namespace {

JobsCsvSetting setting(const ThreeJobs& three) {
  return {.workload = "philly", .origin = three.t0, .sites = {"frankfurt"}};
}

std::string row(const JobRecord& record, const JobsCsvSetting& with) {
  std::string out;
  append_job(out, record, with);
  return out;
}

TEST(JobsCsv, has_the_columns_that_analysis_tools_read_then_ours) {
  EXPECT_EQ(jobs_csv_header(),
            "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
            "requested_time,success,final_state,starting_time,execution_time,finish_time,"
            "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata,"
            "site,gpus_mean,clock_mean_mhz,energy_kwh,energy_cost,carbon_kg,deadline,tardiness_s,"
            "tardiness_cost,restarts,rent_cost,predicted_cost,home,transfers,transfer_gb,"
            "transfer_cost\n");
}

TEST(JobsCsv, leaves_empty_what_a_job_does_not_have) {
  const ThreeJobs three;
  EXPECT_EQ(row(three.records()[0], setting(three)),
            "train-a,philly,,0,2,7200,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,0-1,90000,,"
            "frankfurt,2,1410,0.025,0.005,0.01,,,,0,,,,0,0,0\n");
}

TEST(JobsCsv, joins_neighbouring_gpus_and_shows_lateness) {
  const ThreeJobs three;
  EXPECT_EQ(row(three.records()[1], setting(three)),
            "train-b,philly,resnet,10,4,60,1,COMPLETED_SUCCESSFULLY,100,40,140,90,130,3.25,0-3,"
            "72000,user=ann;group=vc7,frankfurt,4,1410,0.02,0.004,0.008,120,20,10,0,,,,0,0,0\n");
}

TEST(JobsCsv, shows_rent_where_nodes_are_rented) {
  const ThreeJobs three;
  JobsCsvSetting rented = setting(three);
  rented.rents = true;
  JobRecord record = three.records()[0];
  record.bill.rent = Money(0.75);
  EXPECT_TRUE(row(record, rented).ends_with(",0.01,,,,0,0.75,,,0,0,0\n"));
  record.bill.rent = Money(0);
  EXPECT_TRUE(row(record, rented).ends_with(",0.01,,,,0,0,,,0,0,0\n"));
}

TEST(JobsCsv, shows_what_was_predicted_where_something_was_believed) {
  const ThreeJobs three;
  JobRecord record = three.records()[0];
  record.predicted = Money(0.25);
  EXPECT_TRUE(row(record, setting(three)).ends_with(",0.01,,,,0,,0.25,,0,0,0\n"));
}

TEST(JobsCsv, keeps_ids_as_text_quotes_what_needs_it_and_counts_restarts) {
  const ThreeJobs three;
  EXPECT_EQ(row(three.records()[2], setting(three)),
            "6214e9,philly,,20,1,4,0,COMPLETED_WALLTIME_REACHED,140,20,160,120,140,7,3,1800,"
            "\"user=O'Neil, "
            "\"\"Bob\"\";held_s=4\",frankfurt,1,,0.0005,0.0001,0.0002,200,0,0,3,,,,0,0,0\n");
}

TEST(JobsCsv, writes_milliseconds_gaps_and_the_number_of_a_nameless_job) {
  const Time t0{};
  const Job job{.id = JobId{12}, .submitted = t0 + 250ms, .gpus = 5, .requested = 1500ms};
  const Placement where{{GpuId{0}, 1}, {GpuId{1}, 3}, {GpuId{7}, 1}};
  const JobRecord record{.job = job,
                         .first_start = t0 + 1005ms,
                         .finish = t0 + 1005ms,
                         .where = where,
                         .gpus_mean = 5};
  EXPECT_EQ(row(record, {.workload = "w", .origin = t0 + 1s, .sites = {"a"}}),
            "12,w,,-0.750,5,1.500,1,COMPLETED_SUCCESSFULLY,0.005,0,0.005,0.755,0.755,,0-3 7,0,,"
            "a,5,,0,0,0,,,,0,,,,0,0,0\n");
}

TEST(JobsCsv, writes_a_file_of_all_jobs) {
  const ThreeJobs three;
  const auto path = std::filesystem::path(testing::TempDir()) / "penstock-jobs.csv";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  JobsCsv csv(*std::move(file), setting(three));
  std::string expected(jobs_csv_header());
  for (int i = 0; i < 1000; ++i) {
    for (const JobRecord& record : three.records()) {
      csv.add(record);
      append_job(expected, record, setting(three));
    }
  }
  ASSERT_TRUE(csv.close());
  EXPECT_EQ(std::filesystem::file_size(path), expected.size());
  std::filesystem::remove(path);
}

}  // namespace

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

namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ReasonsCsv, writes_a_reason_only_when_it_changes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "penstock-reasons.csv";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  const Time t0{};
  ReasonsCsv csv(*std::move(file), t0);
  csv.add(t0, "");
  csv.add(t0 + 1s, "sjf looks best");
  csv.add(t0 + 2s, "sjf looks best");
  csv.add(t0 + 3s, "");
  csv.add(t0 + 4s, "sjf looks best");
  csv.add(t0 + 5s, "f1, by 3 %");
  ASSERT_TRUE(csv.close());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "time_s,reason\n1,sjf looks best\n5,\"f1, by 3 %\"\n");
  std::filesystem::remove(path);
}

}  // namespace

}  // namespace penstock
