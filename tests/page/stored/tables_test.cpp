#include "page/stored/tables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

const std::vector<std::string> kSites{"north", "south"};

/// The columns that a job must have, and some more.
std::string jobs_text(const std::string& rows) {
  return "job_id,submission_time,requested_number_of_resources,requested_time,success,"
         "starting_time,finish_time,metadata,site,energy_cost,rent_cost,deadline\n" +
         rows;
}

std::string jobs_error(const std::string& rows) {
  std::string text = jobs_text(rows);
  const auto jobs = parse_jobs(text, "d/jobs.csv", kSites);
  return jobs ? "" : jobs.error().message;
}

TEST(StoredJobs, reads_every_column_that_is_there) {
  std::string text = jobs_text(
      "a,0,4,3600,1,10.500,100,user=ann;group=g;held_s=60,south,2,0.5,50\n"
      "b,1,1,1,0,1,2,,north,,,\n");
  const auto jobs = parse_jobs(text, "d/jobs.csv", kSites);
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 2u);
  const StoredJob& a = jobs->front();
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.user, "ann");
  EXPECT_EQ(a.gpus, 4u);
  EXPECT_EQ(a.start, 10500ms);
  EXPECT_EQ(a.held, 60s);
  EXPECT_EQ(a.deadline, 50s);
  EXPECT_EQ(a.site, 1u);
  EXPECT_EQ(a.cost, 2.5F);
  EXPECT_FALSE(a.killed);
  const StoredJob& b = jobs->back();
  EXPECT_TRUE(b.killed);
  EXPECT_EQ(b.user, "");
  EXPECT_EQ(b.held, 1s);
  EXPECT_FALSE(b.deadline);
  EXPECT_TRUE(std::isnan(b.cost));
  EXPECT_TRUE(std::isnan(b.predicted));
}

TEST(StoredJobs, names_file_line_and_column_of_what_is_wrong) {
  EXPECT_EQ(jobs_error("a,x,4,1,1,1,2,,north,,,\n"),
            "d/jobs.csv:2: submission_time: 'x' is not a time in seconds such as '0.250'");
  EXPECT_EQ(jobs_error("a,0,-4,1,1,1,2,,north,,,\n"),
            "d/jobs.csv:2: requested_number_of_resources: '-4' is not a count");
  EXPECT_EQ(jobs_error("a,0,4,1,1,1,2,,east,,,\n"),
            "d/jobs.csv:2: site: 'east' is not in summary.json");
  EXPECT_EQ(jobs_error("a,0,4,1,1,1,2,,north,nan,,\n"),
            "d/jobs.csv:2: energy_cost: 'nan' is not a number");
  EXPECT_EQ(jobs_error("a,5,4,1,1,1,2,,north,,,\n"),
            "d/jobs.csv:2: finish_time: it did not start before it was submitted, nor finish "
            "before it started");
  EXPECT_EQ(jobs_error("a,0,4,1,1\n"), "d/jobs.csv:2: has 5 cells where there are 12 columns");
}

TEST(StoredJobs, lack_no_column_that_must_be_there) {
  std::string text = "job_id,submission_time\n";
  EXPECT_EQ(parse_jobs(text, "jobs.csv", kSites).error().message,
            "jobs.csv: no column 'requested_number_of_resources', so it is of another version; "
            "there are: job_id submission_time");
}

std::string stretches_text(const std::string& rows) {
  return "job_id,from_s,to_s,site,allocated_resources,clock_mhz,batch,ended_by\n" + rows;
}

std::string stretches_error(const std::string& rows) {
  std::string text = stretches_text(rows);
  const auto read = parse_stretches(text, "stretches.csv");
  return read ? "" : read.error().message;
}

TEST(StoredStretches, keeps_the_ranges_of_each) {
  std::string text =
      stretches_text("a,0,1.5,north,0-3 7,1410,64,resized\nb,1,2,north,9,,,killed\n");
  const auto read = parse_stretches(text, "stretches.csv");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->ranges, (std::vector<GpuRange>{{GpuId{0}, 4}, {GpuId{7}, 1}, {GpuId{9}, 1}}));
  EXPECT_EQ(read->rows[0].ranges, 2u);
  EXPECT_EQ(read->rows[0].to, 1500ms);
  EXPECT_EQ(read->rows[0].clock_mhz, 1410u);
  EXPECT_EQ(read->rows[0].end, StretchEnd::resized);
  EXPECT_EQ(read->rows[1].first_range, 2u);
  EXPECT_EQ(read->rows[1].clock_mhz, 0u);
}

TEST(StoredStretches, names_what_is_wrong) {
  EXPECT_EQ(stretches_error("a,0,0,n,1,,,finished\n"),
            "stretches.csv:2: to_s: is not after from_s");
  for (const char* set : {"", "3-1", "1,", "1 ", "-1", "1-", "4294967296", "0-4294967295"})
    EXPECT_NE(stretches_error(std::string("a,0,1,n,\"") + set + "\",,,finished\n")
                  .find("is not a set of GPUs such as '0-3 7'"),
              std::string::npos)
        << set;
  EXPECT_EQ(stretches_error("a,0,1,n,1,,,tired\n"),
            "stretches.csv:2: ended_by: 'tired' is no end that is known");
}

TEST(StoredTimeline, gives_each_site_its_rows) {
  std::string text =
      "time_s,site,busy_gpus,idle_gpus,sleeping_nodes,queued_jobs,running_jobs,power_w,cap_w\n"
      "0,north,1,2,3,4,5,100,\n0,south,0,0,0,4,0,,9\n600,north,2,1,3,9,6,200,\n";
  const auto read = parse_timeline(text, "timeline.csv", kSites);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->at(0).size(), 2u);
  EXPECT_EQ(read->at(0)[1].queued, 9u);
  EXPECT_EQ(read->at(1)[0].cap, 9);
  EXPECT_TRUE(std::isnan(read->at(1)[0].power));
}

TEST(StoredTimeline, is_thinned_to_means_and_the_longest_queue) {
  std::vector<StoredSample> samples;
  for (std::uint32_t i = 0; i < 5; ++i)
    samples.push_back({.time = i * 1s, .busy = 2 * i, .queued = i, .power = 10.0F * float(i)});
  EXPECT_EQ(thinning(5, 5), 1u);
  EXPECT_EQ(thinning(5, 3), 2u);
  const auto few = thinned(samples, 2);
  ASSERT_EQ(few.size(), 3u);
  EXPECT_EQ(few[1].time, 2s);
  EXPECT_EQ(few[1].busy, 5u);
  EXPECT_EQ(few[1].queued, 3u);
  EXPECT_EQ(few[1].power, 25);
  EXPECT_TRUE(std::isnan(few[1].price));
  EXPECT_EQ(few[2].power, 40);
}

TEST(StoredCurve, has_numbers_and_words) {
  std::string text = "network,update,kl\nrl,0,\nrl,1,0.5\n";
  const auto curve = parse_curve(text, "w.csv");
  ASSERT_TRUE(curve);
  EXPECT_EQ(std::get<std::vector<std::string>>((*curve)[0].values),
            (std::vector<std::string>{"rl", "rl"}));
  EXPECT_EQ(std::get<std::vector<double>>((*curve)[1].values), (std::vector<double>{0, 1}));
  EXPECT_TRUE(std::isnan(std::get<std::vector<double>>((*curve)[2].values)[0]));
}

TEST(StoredSweep, has_what_stands_between_policy_and_seed_and_that) {
  std::string text = "point,policy,site.pue,seed,jct_mean_s\np,fifo,1.1,7,9\n";
  const auto sweep = parse_sweep(text, "sweep.csv");
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->keys, (std::vector<std::string>{"site.pue", "seed"}));
  EXPECT_EQ(sweep->points, (std::vector<std::vector<std::string>>{{"1.1", "7"}}));
}

}  // namespace

}  // namespace penstock
