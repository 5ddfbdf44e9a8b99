#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "experiment/experiment.h"

namespace penstock {

void add_validate(CLI::App& app, int& exit_code) {
  struct Given {
    std::string scenario;
    std::vector<std::string> overrides;
  };
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("validate", "Check a scenario and its files; every problem at once");
  command->add_option("SCENARIO", given->scenario, "Scenario file (TOML)")->required();
  command->add_option("--set", given->overrides, "Change a key of the scenario: site.pue=1.1")
      ->allow_extra_args(false);
  command->footer("Example: penstock validate data/demo.toml");
  command->callback([given, &exit_code] {
    const auto experiment =
        load_experiment({.scenario = given->scenario, .overrides = given->overrides});
    if (!experiment) {
      exit_code = refuse(experiment.error().message);
      return;
    }
    for (const std::string& line : experiment->notes) remark("note: " + line);
    const Variant& first = *experiment->variants.front();
    fmt::print(
        "{}: fine: {} jobs, {} GPUs at {} {}, {} {}\n", given->scenario, first.workload.count,
        first.scenario.cluster.gpu_count(), first.scenario.cluster.sites.size(),
        first.scenario.cluster.sites.size() == 1 ? "site" : "sites", experiment->variants.size(),
        experiment->variants.size() == 1 ? "variant" : "variants");
  });
}

}  // namespace penstock
