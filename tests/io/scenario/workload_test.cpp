#include <gtest/gtest.h>

#include "io/scenario/data_folder.h"
#include "io/scenario/scenario.h"
#include "io/traces/origins.h"

namespace penstock {
namespace {

/// Two sites, and what `lines` say about [workload.origins], from line 11 on.
Result<Scenario> with_origins(const std::string& lines,
                              const std::string& network = "[network]\n") {
  return parse_scenario(
      network +
          "[[site]]\nname = 'berlin'\nregion = 'EU'\nnodes = [{ gpus = 8, gpu = 'v100' }]\n"
          "[[site]]\nname = 'dallas'\nregion = 'US'\nnodes = [{ gpus = 4, gpu = 'v100' }]\n"
          "[workload]\ngenerate = { jobs = 5 }\n[workload.origins]\n" +
          lines,
      "o.toml", ".");
}

std::string origins_error(const std::string& lines, const std::string& network = "[network]\n") {
  const auto scenario = with_origins(lines, network);
  return scenario ? "no error" : scenario.error().message;
}

TEST(OriginsSection, is_described_by_its_table) {
  const auto scenario = with_origins(
      "weights = { berlin = 0.25, dallas = 0.75 }\nlocal_hours = { berlin = 1, dallas = -6 }\n"
      "files = { median = '20 GB', sigma = 0.5 }\ncheckpoint = { per_gpu = '500 MB' }\n"
      "slack = { '2.0' = 0.3, '1.1' = 0.7 }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const OriginSpec& spec = *scenario->workload.origins;
  EXPECT_EQ(spec.sites[1].weight, 0.75);
  EXPECT_EQ(spec.sites[1].clock, (LocalClock{.ahead = -std::chrono::hours(6)}));
  EXPECT_TRUE(spec.by_hour);
  EXPECT_EQ(spec.files_gb, 20);
  EXPECT_EQ(spec.files_sigma, 0.5);
  EXPECT_EQ(spec.checkpoint_gb_per_gpu, 0.5);
  ASSERT_EQ(spec.slacks.size(), 2u);
  EXPECT_EQ(spec.slacks[0].factor, 1.1);
}

TEST(OriginsSection, all_sites_weigh_alike_if_it_is_silent) {
  const auto scenario = with_origins("files = '3 TB'\nslack = [1.5, 1.5]\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const OriginSpec& spec = *scenario->workload.origins;
  EXPECT_EQ(spec.sites[0].weight, spec.sites[1].weight);
  EXPECT_FALSE(spec.by_hour);
  EXPECT_EQ(spec.files_gb, 3000);
  EXPECT_EQ(spec.slack_range, std::pair(1.5, 1.5));
}

TEST(OriginsSection, may_go_by_the_clocks_of_the_sites) {
  const std::string sites =
      "[network]\n[[site]]\nname = 'berlin'\nregion = 'EU'\nutc_offset = 1\ndst = 'eu'\n"
      "nodes = [{ gpus = 8, gpu = 'v100' }]\n"
      "[[site]]\nname = 'dallas'\nregion = 'US'\nnodes = [{ gpus = 4, gpu = 'v100' }]\n"
      "[workload]\ngenerate = { jobs = 5 }\n[workload.origins]\nlocal_hours = true\n";
  const auto incomplete = parse_scenario(sites, "o.toml", ".");
  ASSERT_FALSE(incomplete);
  EXPECT_EQ(
      incomplete.error().message,
      "o.toml:15: workload.origins.local_hours: goes by the sites' clocks, but 'dallas', from "
      "where jobs come, has no utc_offset");
  const auto scenario = parse_scenario(sites + "weights = { berlin = 1 }\n", "o.toml", ".");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_TRUE(scenario->workload.origins->by_hour);
  EXPECT_EQ(scenario->workload.origins->sites[0].clock,
            (LocalClock{.ahead = std::chrono::hours(1), .daylight = Daylight::eu}));
}

TEST(OriginsSection, tells_every_problem_at_once) {
  EXPECT_EQ(origins_error("weights = { berlin = -1, dalas = 1 }\nlocal_hours = { berlin = 26 }\n"
                          "files = '20'\ncheckpoint = { gpu = '1 GB' }\nslack = [2.0, 1.0]\n"),
            "o.toml:13: workload.origins.weights.berlin: must be at least 0, not -1\n"
            "o.toml:13: workload.origins.weights.dalas: there is no such site; there are: berlin "
            "dallas; did you mean 'dallas'?\n"
            "o.toml:14: workload.origins.local_hours.berlin: must be at most 14, not 26\n"
            "o.toml:15: workload.origins.files: '20' has no unit; a size can be in: MB GB TB\n"
            "o.toml:16: workload.origins.checkpoint.per_gpu: is missing\n"
            "o.toml:16: workload.origins.checkpoint.gpu: unknown key; possible here: per_gpu\n"
            "o.toml:17: workload.origins.slack: must be two factors of the time asked for, 1 to "
            "1000 and the smaller first, such as [1.1, 2.0], or a table such as { \"1.1\" = 0.2, "
            "\"2.0\" = 0.8 }");
  EXPECT_EQ(origins_error("weights = { berlin = 0 }\n"),
            "o.toml:13: workload.origins.weights: are all 0, so no job could come from anywhere");
  EXPECT_EQ(origins_error("local_hours = { berlin = 1 }\n"),
            "o.toml:13: workload.origins.local_hours: says nothing about 'dallas', from where jobs "
            "come; possible: its hours ahead of UTC, -12 to 14");
}

TEST(OriginsSection, needs_a_network) {
  EXPECT_EQ(origins_error("", ""),
            "o.toml:11: workload.origins: needs [network], which says how files get about");
}

// What a scenario says of how jobs scale: in truth, and as believed.

const std::string kScenario =
    "[[site]]\nname = 'a'\n[[site.nodes]]\ngpus = 8\ngpu = 'a100'\n"
    "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n";
const std::string kModels = "profiles = '" PENSTOCK_ROOT "/data/models/a100.toml'\n";  // line 9

Result<Scenario> read_beliefs(const std::string& lines) {
  return parse_scenario(kScenario + lines, "bad.toml", kData);
}

WorkloadSpec workload(const std::string& lines) {
  const auto scenario = read_beliefs(kModels + lines);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? scenario->workload : WorkloadSpec{};
}

std::string belief_error_text(const std::string& lines) {
  const auto scenario = read_beliefs(lines);
  return scenario ? "no error" : scenario.error().message;
}

TEST(Belief, is_the_truth_unless_it_is_said_otherwise) {
  const WorkloadSpec spec = workload("");
  EXPECT_FALSE(spec.profiles.empty());
  EXPECT_EQ(spec.truth_spread, 0);
  EXPECT_EQ(spec.instrument_spread, 0);
  EXPECT_FALSE(spec.refit);
  EXPECT_FALSE(spec.guessed);
}

TEST(Belief, is_refitted_where_the_truth_is_noisy) {
  const WorkloadSpec spec =
      workload("truth = { kind = 'noisy', spread = 0.3, instrument = 0.03 }\n");
  EXPECT_EQ(spec.truth_spread, 0.3);
  EXPECT_EQ(spec.instrument_spread, 0.03);
  EXPECT_TRUE(spec.refit);
  EXPECT_FALSE(spec.guessed);
}

TEST(Belief, may_stay_wrong) {
  EXPECT_FALSE(workload("truth = { kind = 'noisy', spread = 0.3 }\nrefit = 'never'\n").refit);
}

TEST(Belief, that_begins_with_a_guess_is_refitted) {
  const WorkloadSpec spec = workload("belief = 'profiled'\n");
  EXPECT_TRUE(spec.guessed);
  EXPECT_TRUE(spec.refit);
}

TEST(Belief, bad_values_are_told_with_what_is_possible) {
  EXPECT_EQ(belief_error_text(kModels + "belief = 'measured'\nrefit = 'sometimes'\n"),
            "bad.toml:10: workload.belief: there is no 'measured'; possible: catalogue profiled\n"
            "bad.toml:11: workload.refit: there is no 'sometimes'; possible: never online");
  EXPECT_EQ(belief_error_text(kModels + "truth = { spread = 0.2 }\n"),
            "bad.toml:10: workload.truth.kind: is missing; there are: exact noisy");
  EXPECT_EQ(belief_error_text(kModels + "truth = { kind = 'wild' }\n"),
            "bad.toml:10: workload.truth.kind: there is no 'wild'; possible: exact noisy");
  EXPECT_EQ(
      belief_error_text(kModels + "truth = { kind = 'noisy', spread = 3, instrument = -1 }\n"),
      "bad.toml:10: workload.truth.spread: must be at most 2, not 3\n"
      "bad.toml:10: workload.truth.instrument: must be at least 0, not -1");
  EXPECT_EQ(belief_error_text(kModels + "truth = { kind = 'exact', spread = 0.2 }\n"),
            "bad.toml:10: workload.truth.kind: is exact, so there is no spread");
  EXPECT_EQ(belief_error_text(kModels + "truth = 'noisy'\n"),
            "bad.toml:10: workload.truth: must be a table such as { kind = \"noisy\", spread = 0.2 "
            "}, not text");
}

TEST(Belief, that_begins_with_a_guess_must_be_refitted) {
  EXPECT_EQ(belief_error_text(kModels + "belief = 'profiled'\nrefit = 'never'\n"),
            "bad.toml:11: workload.refit: is never, so workload.belief cannot be profiled");
}

TEST(Belief, needs_models) {
  EXPECT_EQ(
      belief_error_text("belief = 'profiled'\ntruth = { kind = 'exact' }\nrefit = 'online'\n"),
      "bad.toml:9: workload.belief: is about models, so workload.profiles must name some\n"
      "bad.toml:10: workload.truth: is about models, so workload.profiles must name some\n"
      "bad.toml:11: workload.refit: is about models, so workload.profiles must name some");
}

}  // namespace
}  // namespace penstock
