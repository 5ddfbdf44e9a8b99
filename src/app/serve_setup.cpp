#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/policy_choice.h"
#include "app/serve.h"
#include "io/scenario/scenario_without_jobs.h"
#include "live/discover.h"
#include "policy/registry.h"
#include "serve/log.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(20);

Time present() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

/// The nodes of a site as they were when it last answered.
std::optional<std::vector<SlurmNode>> remembered_nodes(Journal& journal, const std::string& site) {
  const auto entries = journal.latest_entries("machines", 100);
  if (!entries) return std::nullopt;
  for (const JournalEntry& entry : *entries) {
    const json detail = json::parse(entry.detail, nullptr, false);
    if (entry.site != site || !detail.is_object() || !detail.contains("nodes")) continue;
    std::vector<SlurmNode> nodes;
    for (const json& record : detail["nodes"])
      if (auto node = read_slurm_node(record)) nodes.push_back(*std::move(node));
    return nodes;
  }
  return std::nullopt;
}

void remember_nodes(Journal& journal, const std::string& site,
                    const std::vector<SlurmNode>& nodes) {
  json list = json::array();
  for (const SlurmNode& node : nodes) {
    json gpus = json::array();
    for (const SlurmNode::Gpus& each : node.gpus)
      gpus.push_back({{"type", each.type}, {"total", each.total}});
    list.push_back({{"name", node.name},
                    {"state", node.state},
                    {"gpus", gpus},
                    {"partitions", node.partitions}});
  }
  std::vector<JournalEntry> entries{
      {.when = present(),
       .site = site,
       .what = "machines",
       .detail = json{{"text", fmt::format("{} nodes", nodes.size())}, {"nodes", list}}.dump()}};
  (void)journal.write(entries, {});
}

Result<std::vector<SlurmNode>> nodes_of(const SlurmSpec& spec, Journal& journal,
                                        const std::function<bool()>& stops) {
  const std::string& name = spec.options.name;
  while (true) {
    auto found = discover_nodes(bridge_of(spec), kPatience, stops);
    if (found) {
      remember_nodes(journal, name, *found);
      return found;
    }
    if (auto before = remembered_nodes(journal, name)) {
      log_line(present(), "warning", "nodes",
               fmt::format("{} does not answer ({}); its nodes are taken from the journal", name,
                           found.error().message));
      return *std::move(before);
    }
    if (stops()) return Error{fmt::format("{}: {}", name, found.error().message)};
    log_line(present(), "warning", "nodes",
             fmt::format("{} does not answer, once more: {}", name, found.error().message));
  }
}

/// Most jobs want all their GPUs on one node: policies that may place otherwise do so by request
/// only.
void keep_jobs_together(PolicyChoice& policy) {
  const bool across = policy.name == "geo";
  const auto site = policy.options.find("site");
  const std::string_view name = !across                        ? std::string_view(policy.name)
                                : site == policy.options.end() ? std::string_view("fifo")
                                                               : std::string_view(site->second);
  for (const PolicyEntry& entry : all_policies())
    for (const OptionSpec& option : entry.options)
      if (entry.name == name && option.name == "place")
        policy.options.try_emplace(across ? "site.place" : "place", "consolidate");
}

}  // namespace

BridgeLink::Options bridge_of(const SlurmSpec& spec) {
  BridgeLink::Options options{.command = spec.bridge, .patience = spec.patience};
  std::string& program = options.command.front();
  if (program.find('/') != std::string::npos) return options;
  std::error_code trouble;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", trouble);
  const auto beside = self.parent_path() / program;
  if (!trouble && std::filesystem::exists(beside, trouble)) program = beside.string();
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

Result<LiveSetup> set_up_live(const ServeConfig& config, Journal& journal,
                              const std::function<bool()>& stops) {
  LiveSetup setup{.table = config.scenario};
  toml::array* sites = setup.table["site"].as_array();
  for (std::size_t i = 0; i < config.sites.size(); ++i) {
    const SlurmSpec& spec = config.sites[i];
    const auto nodes = nodes_of(spec, journal, stops);
    if (!nodes) return nodes.error();
    toml::table* site = sites != nullptr ? (*sites)[i].as_table() : setup.table["site"].as_table();
    const toml::table* extra = (*site)["slurm"]["machines"].as_table();
    SiteMachines machines = machines_of(*nodes, spec.options, extra);
    if (machines.names.empty())
      return Error{
          fmt::format("site '{}': Slurm has no node with GPUs of one type in the governed "
                      "partitions",
                      spec.options.name)};
    site->erase("slurm");
    site->insert_or_assign("nodes", std::move(machines.nodes));
    setup.nodes.push_back(std::move(machines.names));
    setup.notes.insert(setup.notes.end(), machines.notes.begin(), machines.notes.end());
  }
  auto scenario = read_live_scenario(config, setup.table);
  if (!scenario) return std::move(scenario).error();
  setup.scenario = *std::move(scenario);
  if (setup.scenario.policies.size() != 1)
    return Error{fmt::format("{}: policy: one is needed; possible: [policy] with name = \"fifo\"",
                             config.file.string())};
  setup.policy = setup.scenario.policies.front();
  keep_jobs_together(setup.policy);
  return setup;
}

}  // namespace penstock
