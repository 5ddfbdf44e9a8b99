#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

/// Knows one policy, "fifo", with one option, "depth".
Result<Done> only_fifo(const PolicyChoice& choice) {
  if (choice.name != "fifo") return Error{"no policy '" + choice.name + "'"};
  for (const auto& [name, value] : choice.options)
    if (name != "depth") return Error{"no option '" + name + "'"};
  return Done{};
}

std::string policies_error(const std::string& policies,
                           const std::vector<std::string>& overrides = {}) {
  const std::filesystem::path data = std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data";
  const auto scenario = parse_scenario(policies +
                                           "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n"
                                           "[[site]]\nname = 'a'\n"
                                           "[[site.nodes]]\ngpus = 8\ngpu = 'a100'\n",
                                       "bad.toml", data, overrides, only_fifo);
  return scenario ? "no error" : scenario.error().message;
}

TEST(ScenarioPolicies, pass_the_check) {
  EXPECT_EQ(policies_error("[policy]\nname = 'fifo'\ndepth = 3\n"), "no error");
}

TEST(ScenarioPolicies, are_told_where_each_problem_stands_beside_all_others) {
  EXPECT_EQ(policies_error("seed = -1\n"
                           "[[policy]]\n"
                           "name = 'ffo'\n"
                           "[[policy]]\n"
                           "name = 'fifo'\n"
                           "depht = 3\n"
                           "place = 'any'\n"),
            "bad.toml:1: seed: must be at least 0, not -1\n"
            "bad.toml:3: policy.name: no policy 'ffo'\n"
            "bad.toml:6: policy.depht: no option 'depht'\n"
            "bad.toml:7: policy.place: no option 'place'");
}

TEST(ScenarioPolicies, of_an_override_are_told_as_such) {
  EXPECT_EQ(policies_error("", {"policy.name=ffo"}),
            "--set policy.name=ffo: policy.name: no policy 'ffo'");
}

}  // namespace
}  // namespace penstock
