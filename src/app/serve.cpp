#include "app/serve.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"

namespace penstock {
namespace {

constexpr auto kPatience = std::chrono::seconds(15);  // of --check, for all clusters together

struct Given {
  std::string config;
  bool check = false;
  bool release = false;
};

int check(const ServeConfig& config) {
  auto journal = Journal::open(config.journal);
  if (!journal) return refuse(journal.error().message);
  const auto late = std::chrono::steady_clock::now() + kPatience;
  const auto setup =
      set_up_live(config, *journal, [&] { return std::chrono::steady_clock::now() >= late; });
  if (!setup) return refuse(setup.error().message);
  for (const std::string& note : setup->notes) remark("note: " + note);
  const Cluster& cluster = setup->scenario.cluster;
  fmt::print("{}: fine: {} GPUs at {} {}, policy {}, mode {}\n", config.file.string(),
             cluster.gpu_count(), cluster.sites.size(),
             cluster.sites.size() == 1 ? "site" : "sites", setup->policy.name,
             name_of(config.fence.mode));
  return kFine;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("serve", "Schedule live Slurm clusters: the daemon");
  command->add_option("CONFIG", given->config, "Configuration file (TOML), see docs/operate.md")
      ->required();
  command->add_flag("--check", given->check, "Ask the clusters, check everything, and end");
  command->add_flag("--release", given->release,
                    "Leave all jobs that are held for Penstock to Slurm, and end");
  command->footer("Example: penstock serve /etc/penstock/serve.toml");
  command->callback([given, &exit_code] {
    const auto config = read_serve_config(given->config);
    if (!config)
      exit_code = refuse(config.error().message);
    else if (given->release)
      exit_code = release_held(*config);
    else
      exit_code = given->check ? check(*config) : run_daemon(*config);
  });
}

}  // namespace penstock
