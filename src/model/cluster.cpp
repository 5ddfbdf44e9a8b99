#include "model/cluster.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {
namespace {

bool fits(const NodeTables& tables, std::uint32_t gpus) {
  return (tables.power.empty() || tables.power.size() == gpus + 1) &&
         (tables.rent.empty() || tables.rent.size() == gpus + 1);
}

/// The place of a group's tables in the cluster.
std::uint32_t add_tables(Cluster& cluster, const NodeGroup& group) {
  PENSTOCK_CHECK(fits(group.tables, group.gpus));
  if (group.tables.empty()) return Node::kNoTables;
  cluster.node_tables.push_back(group.tables);
  return static_cast<std::uint32_t>(cluster.node_tables.size() - 1);
}

Node& add_node(Cluster& cluster, Site& site, const NodeGroup& group, RackId rack) {
  const NodeId id{static_cast<std::uint32_t>(cluster.nodes.size())};
  cluster.nodes.push_back({.site = {static_cast<std::uint32_t>(cluster.sites.size())},
                           .rack = rack,
                           .type = group.type,
                           .first = {cluster.gpu_count()},
                           .gpus = group.gpus,
                           .base = group.base,
                           .base_sleep = group.base_sleep});
  cluster.node_of.insert(cluster.node_of.end(), group.gpus, id);
  ++site.nodes;
  site.gpus += group.gpus;
  return cluster.nodes.back();
}

}  // namespace

bool Cluster::rents() const {
  return std::ranges::any_of(node_tables, [](const NodeTables& t) { return !t.rent.empty(); });
}

bool Cluster::rents(SiteId site) const {
  return std::ranges::any_of(nodes, [&](const Node& node) {
    return node.site == site && tables(node) != nullptr && !tables(node)->rent.empty();
  });
}

Cluster single_site(const Cluster& cluster, SiteId site) {
  Site alone = cluster.sites[site.index];
  const std::uint32_t first = alone.first_node.index;
  alone.first_node = NodeId{0};
  Cluster one{.types = cluster.types,
              .sites = {alone},
              .node_tables = cluster.node_tables,
              .racks = cluster.racks,
              .share = cluster.share};
  for (std::uint32_t i = 0; i < alone.nodes; ++i) {
    Node node = cluster.nodes[first + i];
    node.site = SiteId{0};
    node.first = GpuId{one.gpu_count()};
    one.node_of.insert(one.node_of.end(), node.gpus, NodeId{i});
    one.nodes.push_back(node);
  }
  return one;
}

void add_site(Cluster& cluster, std::string name, const std::vector<NodeGroup>& groups) {
  Site site{.name = std::move(name),
            .first_node = {static_cast<std::uint32_t>(cluster.nodes.size())}};
  for (const NodeGroup& group : groups) {
    PENSTOCK_CHECK(group.gpus > 0 && group.type.index < cluster.types.size());
    const std::uint32_t tables = add_tables(cluster, group);
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const bool new_rack = i == 0 || (group.rack > 0 && i % group.rack == 0);
      if (new_rack) ++cluster.racks;
      add_node(cluster, site, group, RackId{cluster.racks - 1}).tables = tables;
    }
  }
  cluster.sites.push_back(std::move(site));
}

}  // namespace penstock
