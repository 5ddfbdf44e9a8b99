#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

/// Ten nodes as published, and what `lines` say about [workload.andreas], from line 9 on.
Result<Scenario> with(const std::string& lines, const std::vector<std::string>& more = {}) {
  return parse_scenario(
      "[[site]]\nname = 'a'\nnodes = [ { count = 5, gpus = 4, gpu = 'tesla' },\n"
      "{ count = 5, gpus = 2, gpu = 'turing' } ]\n"
      "[workload]\ntrace = 'data_server.csv'\nformat = 'andreas'\n[workload.andreas]\n" +
          lines,
      "s.toml", PENSTOCK_ROOT "/data/andreas", more);
}

std::string trouble(const std::string& lines, const std::vector<std::string>& more = {}) {
  const auto scenario = with(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

TEST(Andreas, brings_its_profiles_and_needs_no_options) {
  const auto scenario = with("");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->workload.profiles.size(), 8u);
  const AndreasSpec& spec = *scenario->workload.andreas;
  EXPECT_EQ(spec.arrivals, AndreasArrivals::high);
  EXPECT_EQ(spec.jobs_per_node, 10u);
  EXPECT_EQ(spec.weights, usual_weights(AndreasRates::server));
}

TEST(Andreas, is_described_by_its_table) {
  const auto scenario = with(
      "arrivals = 'poisson'\nrates = 'cloud'\njobs_per_node = 3\nmean = '50000 s'\n"
      "weights = [1, 2.5]\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const AndreasSpec& spec = *scenario->workload.andreas;
  EXPECT_EQ(spec.arrivals, AndreasArrivals::poisson);
  EXPECT_EQ(spec.rates, AndreasRates::cloud);
  EXPECT_EQ(spec.jobs_per_node, 3u);
  EXPECT_EQ(spec.mean, std::chrono::seconds(50'000));
  EXPECT_EQ(spec.weights, std::pair(1.0, 2.5));
  EXPECT_EQ(with("rates = 'cloud'\n")->workload.andreas->weights, std::pair(0.003, 0.015));
}

TEST(Andreas, refuses_what_makes_no_sense) {
  EXPECT_EQ(trouble("arrivals = 'hihg'\n"),
            "s.toml:9: workload.andreas.arrivals: there is no 'hihg'; possible: high low mixed "
            "exponential poisson");
  EXPECT_EQ(trouble("mean = '1 h'\n"),
            "s.toml:9: workload.andreas.mean: belongs to exponential and poisson arrivals");
  EXPECT_EQ(trouble("weights = [2, 1]\n"),
            "s.toml:9: workload.andreas.weights: must be two amounts of money per second, the "
            "smaller first, such as [0.0003, 0.0004]");
  EXPECT_EQ(trouble("jobs_per_node = 0\n"),
            "s.toml:9: workload.andreas.jobs_per_node: must be at least 1, not 0");
  EXPECT_EQ(trouble("jobs_per_node = 90000000\n"),
            "s.toml:9: workload.andreas.jobs_per_node: makes more than 100000000 jobs");
}

TEST(Andreas, belongs_to_its_format_and_stands_for_profiles) {
  EXPECT_EQ(trouble("", {"workload.format=csv"}),
            "s.toml:8: workload.andreas: belongs to workload.format = \"andreas\"");
  EXPECT_EQ(trouble("", {"workload.profiles=../models/k80.toml"}),
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
  const auto noisy = with("", {"workload.truth={ kind = 'noisy', spread = 0.1, jobs = 0.2 }"});
  ASSERT_TRUE(noisy) << noisy.error().message;
  EXPECT_EQ(noisy->workload.truth_spread, 0.1);
  EXPECT_EQ(noisy->workload.job_spread, 0.2);
  EXPECT_EQ(noisy->workload.over_request, OverRequest::extend);
  const auto kept =
      with("", {"workload.truth={ kind = 'noisy', jobs = 0.2 }", "workload.over_request=kill"});
  EXPECT_EQ(kept->workload.over_request, OverRequest::kill);
}

TEST(Andreas, may_draw_epochs_from_the_distributions_beside_its_table) {
  EXPECT_TRUE(with("")->workload.andreas->families.empty());
  const auto scenario = with("epochs = 'distribution'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const AndreasSpec& spec = *scenario->workload.andreas;
  ASSERT_EQ(spec.families.size(), 6u);
  ASSERT_EQ(spec.family.size(), spec.table.kinds.size());
  for (const std::size_t family : spec.family) EXPECT_EQ(spec.families[family].name, "PY");
  EXPECT_EQ(trouble("epochs = 'some'\n"),
            "s.toml:9: workload.andreas.epochs: there is no 'some'; possible: fixed distribution");
  EXPECT_EQ(trouble("distributions = 'distributions.csv'\n"),
            "s.toml:9: workload.andreas.distributions: belongs to epochs = \"distribution\"");
  EXPECT_NE(trouble("epochs = 'distribution'\ndistributions = 'no.csv'\n").find("no.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock
