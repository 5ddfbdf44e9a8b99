#include "serve/config/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "serve/config/config.h"

namespace penstock {
namespace {

bool is_governed(const SlurmNode& node, const std::vector<std::string>& partitions) {
  if (partitions.empty()) return true;
  return std::ranges::any_of(node.partitions, [&](const std::string& name) {
    return std::ranges::find(partitions, name) != partitions.end();
  });
}

/// A run of like nodes.
struct Group {
  std::string type{};
  std::uint32_t gpus = 0;
  std::vector<std::string> names{};
};

void add(std::vector<Group>& groups, const SlurmNode& node, const std::string& type) {
  const std::uint32_t gpus = node.gpus.front().total;
  const auto same = std::ranges::find_if(
      groups, [&](const Group& g) { return g.type == type && g.gpus == gpus; });
  Group& group = same == groups.end() ? groups.emplace_back(Group{type, gpus, {}}) : *same;
  group.names.push_back(node.name);
}

toml::table as_table(const Group& group, const toml::table* extra) {
  toml::table table;
  if (extra != nullptr)
    if (const auto* more = (*extra)[group.type].as_table()) table = *more;
  table.insert_or_assign("count", static_cast<std::int64_t>(group.names.size()));
  table.insert_or_assign("gpus", static_cast<std::int64_t>(group.gpus));
  table.insert_or_assign("gpu", group.type);
  return table;
}

/// What the configuration says about GPUs, by name.
struct Configured {
  const SiteOptions& options;
  const toml::table* extra;
};

/// Names that no node has: slips of the pen, or nodes that are gone. `slurms` are Slurm's own.
void note_unused(const Configured& configured, const std::set<std::string>& slurms,
                 const std::vector<Group>& groups, std::vector<std::string>& notes) {
  const std::string& site = configured.options.name;
  for (const auto& [name, ours] : configured.options.gpu_types)
    if (!slurms.contains(name))
      notes.push_back(
          fmt::format("site '{}': slurm.gpu_types: Slurm calls no GPUs '{}'; there are: "
                      "{}",
                      site, name, fmt::join(slurms, " ")));
  if (configured.extra == nullptr) return;
  std::set<std::string> types;
  for (const Group& group : groups) types.insert(group.type);
  for (const auto& [type, more] : *configured.extra)
    if (!types.contains(std::string(type.str())))
      notes.push_back(
          fmt::format("site '{}': slurm.machines: no node has GPUs of type '{}'; there "
                      "are: {}",
                      site, type.str(), fmt::join(types, " ")));
}

}  // namespace

SiteMachines machines_of(const std::vector<SlurmNode>& nodes, const SiteOptions& options,
                         const toml::table* extra) {
  SiteMachines machines;
  std::vector<Group> groups;
  std::set<std::string> slurms;
  for (const SlurmNode& node : nodes) {
    if (!is_governed(node, options.partitions)) continue;
    const bool one_type = node.gpus.size() == 1 && node.gpus.front().total > 0;
    if (!one_type) {
      machines.notes.push_back(
          fmt::format("{} is left out: it has {}", node.name,
                      node.gpus.size() > 1 ? "GPUs of several types" : "no GPUs"));
      continue;
    }
    const std::string& type = node.gpus.front().type;
    slurms.insert(type);
    const auto renamed = options.gpu_types.find(type);
    add(groups, node, GpuNames::plain(renamed == options.gpu_types.end() ? type : renamed->second));
  }
  note_unused({options, extra}, slurms, groups, machines.notes);
  for (const Group& group : groups) {
    machines.nodes.push_back(as_table(group, extra));
    machines.names.insert(machines.names.end(), group.names.begin(), group.names.end());
  }
  return machines;
}

}  // namespace penstock
