#include "daemon/setup.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "experiment/policy_choice.h"
#include "io/json/json_at.h"
#include "io/scenario/scenario_without_jobs.h"
#include "journal/journal_trace.h"
#include "journal/log.h"
#include "registry/registry.h"
#include "serve/config/machines.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr auto kDiscoveryTimeout = std::chrono::seconds(20);

Time system_now() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

/// A site's cluster as it was when it last answered.
std::optional<ClusterFacts> remembered_cluster(Journal& journal, const std::string& site) {
  const auto entries = journal.latest_entries("machines", 100);
  if (!entries) return std::nullopt;
  for (const JournalEntry& entry : *entries) {
    const json detail = json::parse(entry.detail, nullptr, false);
    if (entry.site != site || !detail.is_object() || !detail.contains("nodes")) continue;
    ClusterFacts facts{.key = text_at(detail, "cluster"), .account = text_at(detail, "account")};
    for (const json& record : detail["nodes"])
      if (auto node = read_slurm_node(record)) facts.nodes.push_back(*std::move(node));
    return facts;
  }
  return std::nullopt;
}

void remember_cluster(Journal& journal, const std::string& site, const ClusterFacts& facts) {
  json list = json::array();
  for (const SlurmNode& node : facts.nodes) {
    json gpus = json::array();
    for (const SlurmNode::Gpus& each : node.gpus)
      gpus.push_back({{"type", each.type}, {"total", each.total}});
    list.push_back({{"name", node.name},
                    {"state", node.state},
                    {"gpus", gpus},
                    {"partitions", node.partitions}});
  }
  std::vector<JournalEntry> entries{{.when = system_now(),
                                     .site = site,
                                     .what = "machines",
                                     .detail = json{
                                         {"text", fmt::format("{} nodes", facts.nodes.size())},
                                         {"cluster", facts.key},
                                         {"account", facts.account},
                                         {"nodes",
                                          list}}.dump()}};
  (void)journal.write(entries, {});
}

Result<ClusterFacts> cluster_of(const SlurmSpec& spec, Journal& journal,
                                const std::function<bool()>& stops) {
  const std::string& name = spec.options.name;
  while (true) {
    auto found = discover_cluster(bridge_options(spec), kDiscoveryTimeout, stops);
    if (found) {
      remember_cluster(journal, name, *found);
      return found;
    }
    if (auto before = remembered_cluster(journal, name)) {
      log_line(system_now(), "warning", "nodes",
               fmt::format("{} does not answer ({}); its nodes are taken from the journal", name,
                           found.error().message));
      return *std::move(before);
    }
    if (stops()) return Error{fmt::format("{}: {}", name, found.error().message)};
    log_line(system_now(), "warning", "nodes",
             fmt::format("{} does not answer, once more: {}", name, found.error().message));
  }
}

const OptionSpec* option_of(std::string_view policy, std::string_view name) {
  for (const PolicyEntry& entry : every_policy().all())
    for (const OptionSpec& option : entry.options)
      if (entry.name == policy && option.name == name) return &option;
  return nullptr;
}

/// Most jobs want all their GPUs on one node: policies that may place otherwise do so by request
/// only.
void keep_jobs_together(PolicyChoice& policy) {
  std::string placing = policy.name;
  std::string option = "place";
  if (const OptionSpec* site = option_of(policy.name, "site"); site != nullptr) {
    const auto chosen = policy.options.find("site");
    placing = chosen == policy.options.end() ? std::string(site->fallback) : chosen->second;
    option = "site.place";
  }
  if (option_of(placing, "place") == nullptr) return;
  Options kept = policy.options;
  kept.try_emplace(option, "consolidate");
  if (every_policy().check(policy.name, kept)) policy.options = std::move(kept);
}

/// Slurm needs a moment for a start: as long as it did so far, unless the operator says.
Result<Done> expect_start_time(const ServeConfig& config, Costs& costs) {
  std::error_code error;
  if (config.scenario["costs"]["start"] || !std::filesystem::exists(config.journal, error))
    return Done{};
  const auto lag = read_start_lag(config.journal);
  if (!lag) return lag.error();
  if (*lag) costs.start = **lag;
  return Done{};
}

/// The type of some nodes may be none that we know: the operator says which is meant.
Result<Done> check_types(const ServeConfig& config, const SlurmSpec& site,
                         const toml::array& nodes) {
  const GpuNames types(config.scenario);
  for (const toml::node& group : nodes) {
    const std::string type = (*group.as_table())["gpu"].value_or(std::string());
    if (const auto lack = types.lack(type))
      return Error{
          fmt::format("{}: site '{}': Slurm has GPUs of type '{}': {}; possible: "
                      "site.slurm.gpu_types = {{ \"{}\" "
                      "= \"a100\" }}, or [[gpu_type]]",
                      config.file.string(), site.options.name, type, *lack, type)};
  }
  return Done{};
}

/// Puts the nodes of a site's cluster into the set-up's table, in the place of `[site.slurm]`.
Result<Done> add_machines(const ServeConfig& config, std::size_t index, const ClusterFacts& cluster,
                          LiveSetup& setup) {
  const SlurmSpec& spec = config.sites[index];
  toml::array* sites = setup.table["site"].as_array();
  toml::table* site =
      sites != nullptr ? (*sites)[index].as_table() : setup.table["site"].as_table();
  const toml::table* extra = (*site)["slurm"]["machines"].as_table();
  SiteMachines machines = machines_of(cluster.nodes, spec.options, extra);
  if (machines.names.empty())
    return Error{
        fmt::format("site '{}': Slurm has no node with GPUs of one type in the governed "
                    "partitions",
                    spec.options.name)};
  if (auto known = check_types(config, spec, machines.nodes); !known) return known;
  site->erase("slurm");
  site->insert_or_assign("nodes", std::move(machines.nodes));
  setup.nodes.push_back(std::move(machines.names));
  setup.notes.insert(setup.notes.end(), machines.notes.begin(), machines.notes.end());
  return Done{};
}

}  // namespace

BridgeLink::Options bridge_options(const SlurmSpec& spec) {
  BridgeLink::Options options{.command = spec.bridge, .timeout = spec.timeout};
  std::string& program = options.command.front();
  if (program.find('/') != std::string::npos) return options;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / program;
  if (!error && std::filesystem::exists(beside, error)) program = beside.string();
  return options;
}

Result<Scenario> read_live_scenario(const ServeConfig& config, const toml::table& table) {
  auto scenario =
      scenario_without_jobs(table, config.file.string(), config.file.parent_path(), check_choice);
  if (!scenario) return scenario;
  if (!config.clocks)
    for (GpuType& type : scenario->cluster.types) type.clock_step_mhz = 0;
  return scenario;
}

Result<std::vector<ClusterFacts>> find_clusters(const ServeConfig& config, Journal& journal,
                                                const std::function<bool()>& stops) {
  std::vector<ClusterFacts> all;
  for (const SlurmSpec& spec : config.sites) {
    auto cluster = cluster_of(spec, journal, stops);
    if (!cluster) return std::move(cluster).error();
    all.push_back(*std::move(cluster));
  }
  return all;
}

Result<LiveSetup> set_up_live(const ServeConfig& config, std::span<const ClusterFacts> clusters) {
  LiveSetup setup{.table = config.scenario};
  for (std::size_t i = 0; i < config.sites.size(); ++i)
    if (auto done = add_machines(config, i, clusters[i], setup); !done)
      return std::move(done).error();
  auto scenario = read_live_scenario(config, setup.table);
  if (!scenario) return std::move(scenario).error();
  setup.scenario = *std::move(scenario);
  if (setup.scenario.policies.size() != 1)
    return Error{fmt::format("{}: policy: one is needed; possible: [policy] with name = \"fifo\"",
                             config.file.string())};
  setup.policy = setup.scenario.policies.front();
  keep_jobs_together(setup.policy);
  if (auto done = expect_start_time(config, setup.scenario.costs); !done)
    return std::move(done).error();
  return setup;
}

}  // namespace penstock
