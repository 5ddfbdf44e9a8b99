// What a scenario says of how jobs scale: in truth, and as believed.
#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

const std::filesystem::path kData = std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data";
const std::string kScenario =
    "[[site]]\nname = 'a'\n[[site.nodes]]\ngpus = 8\ngpu = 'a100'\n"
    "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n";
const std::string kModels = "profiles = '" PENSTOCK_ROOT "/data/models/a100.toml'\n";  // line 9

Result<Scenario> read(const std::string& lines) {
  return parse_scenario(kScenario + lines, "bad.toml", kData);
}

WorkloadSpec workload(const std::string& lines) {
  const auto scenario = read(kModels + lines);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? scenario->workload : WorkloadSpec{};
}

std::string trouble(const std::string& lines) {
  const auto scenario = read(lines);
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
  EXPECT_EQ(trouble(kModels + "belief = 'measured'\nrefit = 'sometimes'\n"),
            "bad.toml:10: workload.belief: there is no 'measured'; possible: catalogue profiled\n"
            "bad.toml:11: workload.refit: there is no 'sometimes'; possible: never online");
  EXPECT_EQ(trouble(kModels + "truth = { spread = 0.2 }\n"),
            "bad.toml:10: workload.truth.kind: is missing; there are: exact noisy");
  EXPECT_EQ(trouble(kModels + "truth = { kind = 'wild' }\n"),
            "bad.toml:10: workload.truth.kind: there is no 'wild'; possible: exact noisy");
  EXPECT_EQ(trouble(kModels + "truth = { kind = 'noisy', spread = 3, instrument = -1 }\n"),
            "bad.toml:10: workload.truth.spread: must be at most 2, not 3\n"
            "bad.toml:10: workload.truth.instrument: must be at least 0, not -1");
  EXPECT_EQ(trouble(kModels + "truth = { kind = 'exact', spread = 0.2 }\n"),
            "bad.toml:10: workload.truth.kind: is exact, so there is no spread");
  EXPECT_EQ(trouble(kModels + "truth = 'noisy'\n"),
            "bad.toml:10: workload.truth: must be a table such as { kind = \"noisy\", spread = 0.2 "
            "}, not text");
}

TEST(Belief, that_begins_with_a_guess_must_be_refitted) {
  EXPECT_EQ(trouble(kModels + "belief = 'profiled'\nrefit = 'never'\n"),
            "bad.toml:11: workload.refit: is never, so workload.belief cannot be profiled");
}

TEST(Belief, needs_models) {
  EXPECT_EQ(trouble("belief = 'profiled'\ntruth = { kind = 'exact' }\nrefit = 'online'\n"),
            "bad.toml:9: workload.belief: is about models, so workload.profiles must name some\n"
            "bad.toml:10: workload.truth: is about models, so workload.profiles must name some\n"
            "bad.toml:11: workload.refit: is about models, so workload.profiles must name some");
}

}  // namespace
}  // namespace penstock
