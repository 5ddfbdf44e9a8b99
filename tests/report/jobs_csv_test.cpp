#include "report/jobs_csv.h"

#include <gtest/gtest.h>

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
}  // namespace penstock
