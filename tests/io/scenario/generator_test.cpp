#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

const std::filesystem::path kData = std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data";

/// A site of 100 GPUs and what `lines` say about [workload.generate], from line 9 on.
Result<Scenario> generated(const std::string& lines, const std::vector<std::string>& more = {}) {
  return parse_scenario(
      "seed = 7\n"
      "[[site]]\nname = 'a'\nnodes = [ { count = 25, gpus = 4, gpu = 't4' } ]\n"
      "[workload]\nstart = '2022-03-01'\n\n[workload.generate]\n" +
          lines,
      "made.toml", kData, more);
}

std::string trouble(const std::string& lines, const std::vector<std::string>& more = {}) {
  const auto scenario = generated(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

TEST(Generator, is_described_by_the_workload) {
  const auto scenario = generated(
      "jobs = 50\narrivals = 'diurnal'\nmean_gap = '30 s'\nswing = 0.5\n"
      "durations = { median = '1 h', sigma = 2 }\nsizes = { '8' = 1, '1' = 3 }\n"
      "deadline_slack = [1.5, 3]\nrequest_factor = 2\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const GeneratorSpec& spec = *scenario->workload.generate;
  EXPECT_EQ(spec.jobs, 50u);
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(format_time(spec.start), "2022-03-01T00:00:00Z");
  EXPECT_EQ(spec.arrivals, Arrivals::diurnal);
  EXPECT_EQ(spec.mean_gap, std::chrono::seconds(30));
  EXPECT_EQ(spec.swing, 0.5);
  EXPECT_EQ(std::get<LogNormalDurations>(spec.durations).median, std::chrono::hours(1));
  ASSERT_EQ(spec.sizes.size(), 2u);
  EXPECT_EQ(spec.sizes[0].gpus, 1u);
  EXPECT_EQ(spec.sizes[0].weight, 3);
  EXPECT_EQ(spec.deadline_slack, std::pair(1.5, 3.0));
  EXPECT_EQ(spec.request_factor, 2);
  EXPECT_FALSE(scenario->workload.trace);
}

TEST(Generator, a_load_sets_the_gap_for_this_cluster) {
  // Jobs of 2 GPUs for 1000 s on 100 GPUs: half busy if one comes every 40 s.
  const std::string jobs = "durations = { median = '1000 s', sigma = 0 }\nsizes = { '2' = 1 }\n";
  EXPECT_EQ(generated(jobs + "load = 0.5\n")->workload.generate->mean_gap,
            std::chrono::seconds(40));
  EXPECT_EQ(generated(jobs + "load = 0.5\n", {"workload.load=2"})->workload.generate->mean_gap,
            std::chrono::seconds(20));
}

TEST(Generator, a_limit_makes_fewer_jobs) {
  EXPECT_EQ(generated("jobs = 50\n", {"workload.limit=5"})->workload.generate->jobs, 5u);
}

TEST(Generator, durations_can_be_fitted_to_a_trace) {
  const auto scenario = generated("durations = { like = 'philly.csv', format = 'philly' }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto& bins = std::get<FittedDurations>(scenario->workload.generate->durations).bins;
  EXPECT_EQ(bins.front(), std::chrono::hours(1));
  EXPECT_EQ(bins.back(), std::chrono::hours(2));
}

TEST(Generator, every_bad_key_is_named) {
  EXPECT_EQ(trouble("jobs = 0\n"
                    "arrivals = 'bursts'\n"
                    "mean_gap = '1 min'\n"
                    "load = 0.5\n"
                    "durations = { median = 20, sigma = -1 }\n"
                    "sizes = { 'many' = 1, '2' = -1 }\n"
                    "deadline_slack = [1]\n"
                    "request_facto = 2\n",
                    {"workload.gpus_max=4", "workload.format=swf"}),
            "--set workload.format=swf: workload.format: there is no format 'swf'; there are: "
            "generated\n"
            "--set workload.gpus_max=4: workload.gpus_max: belongs to a trace, not to generated "
            "jobs\n"
            "made.toml:9: workload.generate.jobs: must be at least 1, not 0\n"
            "made.toml:10: workload.generate.arrivals: no arrivals 'bursts'; there are: poisson "
            "exponential diurnal uniform\n"
            "made.toml:12: workload.generate.load: stands beside mean_gap; either of them says how "
            "dense jobs come\n"
            "made.toml:13: workload.generate.durations.median: must be a time in quotes such as "
            "\"30 s\", not a whole number\n"
            "made.toml:13: workload.generate.durations.sigma: must be at least 0, not -1\n"
            "made.toml:14: workload.generate.sizes.2: must be at least 0, not -1\n"
            "made.toml:14: workload.generate.sizes.many: must be named by a number of GPUs\n"
            "made.toml:15: workload.generate.deadline_slack: must be two numbers, such as [1.1, "
            "3.0]\n"
            "made.toml:16: workload.generate.request_facto: unknown key; did you mean "
            "'request_factor'?");
}

TEST(Generator, a_specification_that_makes_no_sense_is_refused) {
  EXPECT_EQ(
      trouble("deadline_slack = [3, 1]\n"),
      "made.toml:8: workload.generate: deadline_slack: must be a range of numbers between 0 and "
      "1000000");
}

TEST(Generator, jobs_come_from_one_source) {
  EXPECT_EQ(
      trouble("", {"workload.trace=philly.csv"}),
      "made.toml:8: workload.generate: stands beside workload.trace; jobs come from one of them");
}

TEST(Generator, lublin_is_for_the_machines_of_the_scenario_and_has_its_own_gaps) {
  const auto scenario = generated("model = 'lublin'\n", {"workload.skip=20"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const GeneratorSpec& spec = *scenario->workload.generate;
  EXPECT_EQ(spec.lublin_machine, 100u);
  EXPECT_EQ(spec.skip, 20u);
  EXPECT_NEAR(seconds(spec.mean_gap), LublinModel::mean_gap(), 0.001);
  // Twice the load, half the gap.
  const auto gap = [](const std::string& load) {
    return seconds(generated("model = 'lublin'\nmachine = 64\nload = " + load + "\n")
                       ->workload.generate->mean_gap);
  };
  EXPECT_NEAR(gap("0.5"), LublinModel(64).mean_work() / 50, 0.001);
  EXPECT_NEAR(gap("1.0"), gap("0.5") / 2, 0.001);
}

TEST(Generator, lublin_refuses_what_it_has_itself_and_machines_that_it_is_not_for) {
  EXPECT_EQ(trouble("model = 'lublin'\nsizes = { '1' = 1 }\n"),
            "made.toml:10: workload.generate.sizes: stands beside model = \"lublin\", which has "
            "its own");
  EXPECT_EQ(trouble("machine = 64\n"),
            "made.toml:9: workload.generate.machine: belongs to model = \"lublin\"");
  EXPECT_EQ(trouble("model = 'lublin'\nmachine = 4\n"),
            "made.toml:10: workload.generate.machine: must be at least 16, not 4");
  EXPECT_EQ(trouble("model = 'lubin'\n"),
            "made.toml:9: workload.generate.model: there is no 'lubin'; possible: mix lublin");
}

}  // namespace
}  // namespace penstock
