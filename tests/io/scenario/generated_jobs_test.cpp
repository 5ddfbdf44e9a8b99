#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/scenario/data_folder.h"
#include "io/scenario/scenario.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// A site of 100 GPUs and what `lines` say about [workload.generate], from line 9 on.
Result<Scenario> generated(const std::string& lines, const std::vector<std::string>& more = {}) {
  return parse_scenario(
      "seed = 7\n"
      "[[site]]\nname = 'a'\nnodes = [ { count = 25, gpus = 4, gpu = 't4' } ]\n"
      "[workload]\nstart = '2022-03-01'\n\n[workload.generate]\n" +
          lines,
      "made.toml", kData, more);
}

std::string generator_error(const std::string& lines, const std::vector<std::string>& more = {}) {
  const auto scenario = generated(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

TEST(Generator, is_described_by_the_workload) {
  const auto scenario = generated(
      "jobs = 50\narrivals = 'diurnal'\nmean_gap = '30 s'\nswing = 0.5\n"
      "durations = { median = '1 h', sigma = 2 }\nsizes = { '8' = 1, '1' = 3 }\n"
      "deadline_slack = [1.5, 3]\ntardiness_per_s = 0.01\nrequest_factor = 2\n");
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
  EXPECT_EQ(spec.tardiness_per_s, 0.01);
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
  EXPECT_EQ(generator_error("jobs = 0\n"
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

TEST(Generator, tardiness_without_deadlines_is_refused) {
  EXPECT_EQ(
      generator_error("tardiness_per_s = 1\n"),
      "made.toml:9: workload.generate.tardiness_per_s: stands without deadline_slack; late is "
      "who has a deadline");
}

TEST(Generator, a_specification_that_makes_no_sense_is_refused) {
  EXPECT_EQ(
      generator_error("deadline_slack = [3, 1]\n"),
      "made.toml:8: workload.generate: deadline_slack: must be a range of numbers between 0 and "
      "1000000");
}

TEST(Generator, jobs_come_from_one_source) {
  EXPECT_EQ(
      generator_error("", {"workload.trace=philly.csv"}),
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
  EXPECT_EQ(generator_error("model = 'lublin'\nsizes = { '1' = 1 }\n"),
            "made.toml:10: workload.generate.sizes: stands beside model = \"lublin\", which has "
            "its own");
  EXPECT_EQ(generator_error("machine = 64\n"),
            "made.toml:9: workload.generate.machine: belongs to model = \"lublin\"");
  EXPECT_EQ(generator_error("model = 'lublin'\nmachine = 4\n"),
            "made.toml:10: workload.generate.machine: must be at least 16, not 4");
  EXPECT_EQ(generator_error("model = 'lubin'\n"),
            "made.toml:9: workload.generate.model: there is no 'lubin'; possible: mix lublin");
}

std::string workflow_scenario(const std::string& tasks, const std::string& runs) {
  return R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [)" + tasks +
         R"(]}, "execution": {"tasks": [)" + runs + "]}}}";
}

const std::string kRuns =
    R"({"id": "a", "runtimeInSeconds": 100}, {"id": "b", "runtimeInSeconds": 300})";

/// A folder with one fine workflow of 400 GPU seconds and what a test adds.
class Workflows : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_ / "some");
    std::filesystem::create_directories(dir_ / "none");
    write("some/fine.json",
          workflow_scenario(R"({"id": "a"}, {"id": "b", "parents": ["a"]})", kRuns));
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
  }
  Result<Scenario> read(const std::string& lines) const {
    return parse_scenario(
        "[[site]]\nname = 'a'\nnodes = [ { gpus = 8, gpu = 't4' } ]\n[workload]\n"
        "[workload.workflows]\n" +
            lines,
        "w.toml", dir_);
  }
  std::string trouble(const std::string& lines) const {
    const auto scenario = read(lines);
    return scenario ? "no error" : scenario.error().message;
  }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }

  std::filesystem::path dir_ = std::filesystem::temp_directory_path() /
                               (std::string("penstock-workflows-") +
                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Workflows, may_have_their_small_tasks_put_together) {
  write("some/wide.json",
        workflow_scenario(R"({"id": "a"}, {"id": "b"}, {"id": "c", "parents": ["a"]})",
                          kRuns + R"(, {"id": "c", "runtimeInSeconds": 50})"));
  const auto scenario = read("files = 'some/wide.json'\nchunk_below = '6 min'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto& tasks = scenario->workload.workflows->instances[0].tasks;
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].job.name, "a+1");
  EXPECT_EQ(tasks[0].actual, Duration(400s));
  EXPECT_EQ(tasks[1].job.parents, std::vector<JobId>{JobId{0}});
  const auto bounded =
      read("files = 'some/wide.json'\nchunk_below = '6 min'\nchunk_at_most = '350 s'\n");
  EXPECT_EQ(bounded->workload.workflows->instances[0].tasks.size(), 3u);
  EXPECT_NE(trouble("files = 'some'\nchunk_below = '0 s'\n").find("chunk_below: must be longer"),
            std::string::npos);
  EXPECT_NE(
      trouble("files = 'some'\nchunk_at_most = '9 s'\n").find("chunk_at_most: is of use with"),
      std::string::npos);
}

TEST_F(Workflows, come_from_a_folder_a_file_or_a_list) {
  for (const std::string files : {"'some'", "'some/fine.json'", "['some', 'some/fine.json']"}) {
    const auto scenario = read("files = " + files + "\ncount = 7\nmean_gap = '2 min'\n");
    ASSERT_TRUE(scenario) << scenario.error().message;
    const WorkflowStreamSpec& spec = *scenario->workload.workflows;
    EXPECT_EQ(spec.instances.size(), files.front() == '[' ? 2u : 1u);
    EXPECT_EQ(spec.instances[0].name, "fine");
    EXPECT_EQ(spec.count, 7u);
    EXPECT_EQ(spec.mean_gap, 2min);
  }
}

TEST_F(Workflows, a_load_sets_the_gap_for_this_cluster) {
  // 400 GPU seconds on 8 GPUs: half busy if one comes every 100 s.
  EXPECT_EQ(read("files = 'some'\nload = 0.5\n")->workload.workflows->mean_gap, 100s);
}

TEST_F(Workflows, what_is_wrong_with_the_table_is_told) {
  EXPECT_EQ(trouble("count = 1\n"),
            "w.toml:5: workload.workflows.files: is missing; a folder, a file or a list of them");
  EXPECT_EQ(trouble("files = []\n"), "w.toml:6: workload.workflows.files: is empty");
  EXPECT_EQ(trouble("files = 'lost'\n"),
            "w.toml:6: workload.workflows.files: " + at("lost") + ": no such file or folder");
  EXPECT_EQ(trouble("files = 'none'\n"), "w.toml:6: workload.workflows.files: " + at("none") +
                                             ": the folder has no .json or .json.gz file");
  EXPECT_EQ(trouble("files = 'some'\ncount = 0\n"),
            "w.toml:7: workload.workflows.count: must be at least 1, not 0");
  EXPECT_EQ(trouble("files = 'some'\nload = 1\nmean_gap = '1 s'\n"),
            "w.toml:7: workload.workflows.load: stands beside mean_gap; either of them says how "
            "dense workflows come");
  EXPECT_EQ(trouble("files = 'some'\n[workload.generate]\njobs = 3\n"),
            "w.toml:5: workload.workflows: stands beside workload.generate; jobs come from one of "
            "them");
}

TEST_F(Workflows, a_circle_or_a_lost_parent_names_the_file_and_the_task) {
  write(
      "circle.json",
      workflow_scenario(R"({"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["a"]})", kRuns));
  write("lost.json", workflow_scenario(R"({"id": "a"}, {"id": "b", "parents": ["c"]})", kRuns));
  EXPECT_EQ(trouble("files = 'circle.json'\n"),
            "w.toml:6: workload.workflows.files: " + at("circle.json") +
                ": tasks: 'a' waits for itself: a after b after a");
  EXPECT_EQ(trouble("files = 'lost.json'\n"),
            "w.toml:6: workload.workflows.files: " + at("lost.json") +
                ":tasks[1]: 'b': parents: there is no task 'c'");
}

TEST_F(Workflows, one_of_several_parts_is_fine) {
  write("apart.json", workflow_scenario(R"({"id": "a"}, {"id": "b"})", kRuns));
  EXPECT_TRUE(read("files = 'apart.json'\n"));
}

/// Ten nodes as published, and what `lines` say about [workload.andreas], from line 9 on.
Result<Scenario> with_andreas(const std::string& lines, const std::vector<std::string>& more = {}) {
  return parse_scenario(
      "[[site]]\nname = 'a'\nnodes = [ { count = 5, gpus = 4, gpu = 'tesla' },\n"
      "{ count = 5, gpus = 2, gpu = 'turing' } ]\n"
      "[workload]\ntrace = 'data_server.csv'\nformat = 'andreas'\n[workload.andreas]\n" +
          lines,
      "s.toml", PENSTOCK_ROOT "/data/andreas", more);
}

std::string andreas_error(const std::string& lines, const std::vector<std::string>& more = {}) {
  const auto scenario = with_andreas(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

TEST(Andreas, brings_its_profiles_and_needs_no_options) {
  const auto scenario = with_andreas("");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->workload.profiles.size(), 8u);
  const AndreasSpec& spec = *scenario->workload.andreas;
  EXPECT_EQ(spec.arrivals, AndreasArrivals::high);
  EXPECT_EQ(spec.jobs_per_node, 10u);
  EXPECT_EQ(spec.weights, usual_weights(AndreasRates::server));
}

TEST(Andreas, is_described_by_its_table) {
  const auto scenario = with_andreas(
      "arrivals = 'poisson'\nrates = 'cloud'\njobs_per_node = 3\nmean = '50000 s'\n"
      "weights = [1, 2.5]\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const AndreasSpec& spec = *scenario->workload.andreas;
  EXPECT_EQ(spec.arrivals, AndreasArrivals::poisson);
  EXPECT_EQ(spec.rates, AndreasRates::cloud);
  EXPECT_EQ(spec.jobs_per_node, 3u);
  EXPECT_EQ(spec.mean, std::chrono::seconds(50'000));
  EXPECT_EQ(spec.weights, std::pair(1.0, 2.5));
  EXPECT_EQ(with_andreas("rates = 'cloud'\n")->workload.andreas->weights, std::pair(0.003, 0.015));
}

TEST(Andreas, may_be_drawn_by_load_with_other_slacks_and_sizes) {
  const auto scenario =
      with_andreas("arrivals = 'by-load'\nload = 1.3\ndeadline_slack = [2, 10]\nsize_sigma = 1\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const AndreasSpec& spec = *scenario->workload.andreas;
  EXPECT_EQ(spec.arrivals, AndreasArrivals::by_load);
  EXPECT_EQ(spec.load, 1.3);
  EXPECT_EQ(spec.deadline_slack, std::pair(2.0, 10.0));
  EXPECT_EQ(spec.size_sigma, 1);
  EXPECT_FALSE(with_andreas("")->workload.andreas->deadline_slack);
}

TEST(Andreas, refuses_what_makes_no_sense) {
  EXPECT_EQ(andreas_error("load = 0.5\n"),
            "s.toml:9: workload.andreas.load: belongs to arrivals = \"by-load\"");
  EXPECT_EQ(andreas_error("deadline_slack = [0, 2]\n"),
            "s.toml:9: workload.andreas.deadline_slack: must be two numbers above 0, the smaller "
            "first, such as [1.1, 3.0]");
  EXPECT_EQ(andreas_error("arrivals = 'hihg'\n"),
            "s.toml:9: workload.andreas.arrivals: there is no 'hihg'; possible: high low mixed "
            "exponential poisson by-load");
  EXPECT_EQ(andreas_error("mean = '1 h'\n"),
            "s.toml:9: workload.andreas.mean: belongs to exponential and poisson arrivals");
  EXPECT_EQ(andreas_error("weights = [2, 1]\n"),
            "s.toml:9: workload.andreas.weights: must be two amounts of money per second, the "
            "smaller first, such as [0.0003, 0.0004]");
  EXPECT_EQ(andreas_error("jobs_per_node = 0\n"),
            "s.toml:9: workload.andreas.jobs_per_node: must be at least 1, not 0");
  EXPECT_EQ(andreas_error("jobs_per_node = 90000000\n"),
            "s.toml:9: workload.andreas.jobs_per_node: makes more than 100000000 jobs");
}

TEST(Andreas, belongs_to_its_format_and_stands_for_profiles) {
  EXPECT_EQ(andreas_error("", {"workload.format=csv"}),
            "s.toml:8: workload.andreas: belongs to workload.format = \"andreas\"");
  EXPECT_EQ(andreas_error("", {"workload.profiles=../models/k80.toml"}),
            "--set workload.profiles=../models/k80.toml: workload.profiles: stands beside a trace "
            "of format andreas, which has its own");
}

TEST(Andreas, must_have_something_that_runs_on_the_machines) {
  const auto scenario = parse_scenario(
      "[[site]]\nname = 'a'\nnodes = [ { gpus = 4, gpu = 'a100' } ]\n"
      "[workload]\ntrace = 'data_server.csv'\nformat = 'andreas'\n",
      "s.toml", PENSTOCK_ROOT "/data/andreas");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().message,
            "s.toml:5: workload.trace: nothing in it runs on the machines of this scenario: it has "
            "times for TESLA, TURING");
}

TEST(Andreas, may_be_disturbed_and_then_jobs_may_outrun_their_request) {
  const auto noisy =
      with_andreas("", {"workload.truth={ kind = 'noisy', spread = 0.1, jobs = 0.2 }"});
  ASSERT_TRUE(noisy) << noisy.error().message;
  EXPECT_EQ(noisy->workload.truth_spread, 0.1);
  EXPECT_EQ(noisy->workload.job_spread, 0.2);
  EXPECT_EQ(noisy->workload.over_request, OverRequest::extend);
  const auto kept = with_andreas(
      "", {"workload.truth={ kind = 'noisy', jobs = 0.2 }", "workload.over_request=kill"});
  EXPECT_EQ(kept->workload.over_request, OverRequest::kill);
}

TEST(Andreas, may_draw_epochs_from_the_distributions_beside_its_table) {
  EXPECT_TRUE(with_andreas("")->workload.andreas->families.empty());
  const auto scenario = with_andreas("epochs = 'distribution'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const AndreasSpec& spec = *scenario->workload.andreas;
  ASSERT_EQ(spec.families.size(), 6u);
  ASSERT_EQ(spec.family.size(), spec.table.kinds.size());
  for (const std::size_t family : spec.family) EXPECT_EQ(spec.families[family].name, "PY");
  EXPECT_EQ(andreas_error("epochs = 'some'\n"),
            "s.toml:9: workload.andreas.epochs: there is no 'some'; possible: fixed distribution");
  EXPECT_EQ(andreas_error("distributions = 'distributions.csv'\n"),
            "s.toml:9: workload.andreas.distributions: belongs to epochs = \"distribution\"");
  EXPECT_NE(andreas_error("epochs = 'distribution'\ndistributions = 'no.csv'\n").find("no.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock
