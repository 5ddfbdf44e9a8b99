#include "model/cluster.h"

#include "base/check.h"

namespace penstock {
namespace {

void add_node(Cluster& cluster, Site& site, const NodeGroup& group, RackId rack) {
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
}

}  // namespace

void add_site(Cluster& cluster, std::string name, const std::vector<NodeGroup>& groups) {
  Site site{.name = std::move(name),
            .first_node = {static_cast<std::uint32_t>(cluster.nodes.size())}};
  for (const NodeGroup& group : groups) {
    PENSTOCK_CHECK(group.gpus > 0 && group.type.index < cluster.types.size());
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const bool new_rack = i == 0 || (group.rack > 0 && i % group.rack == 0);
      if (new_rack) ++cluster.racks;
      add_node(cluster, site, group, RackId{cluster.racks - 1});
    }
  }
  cluster.sites.push_back(std::move(site));
}

}  // namespace penstock
