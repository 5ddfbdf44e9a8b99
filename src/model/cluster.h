#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "model/gpu_type.h"

namespace penstock {

/// What a whole node costs by how many of its GPUs jobs hold: entry u is for u of them, one more
/// entry than GPUs. An empty table is none.
struct NodeTables {
  std::vector<Watts> power{};     ///< drawn while awake, GPUs included
  std::vector<MoneyRate> rent{};  ///< paid while awake, beside the energy

  bool empty() const { return power.empty() && rent.empty(); }
};

/// One machine, as bought. Its GPUs are numbered consecutively from `first`.
struct Node {
  static constexpr std::uint32_t kNoTables = ~0u;

  SiteId site{};
  RackId rack{};
  GpuTypeId type{};
  GpuId first{};
  std::uint32_t gpus = 0;
  Watts base{};                      ///< drawn by all but the GPUs while awake
  Watts base_sleep{};                ///< drawn by all but the GPUs while asleep
  std::uint32_t tables = kNoTables;  ///< by which it is billed, in Cluster::node_tables
};

struct Site {
  std::string name{};
  NodeId first_node{};
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;
};

/// How files get from one site to another.
struct Link {
  double megabits_per_second = 0;  ///< 0: they cannot
  Duration round_trip{};
  Money per_gigabyte{};
  friend bool operator==(const Link&, const Link&) = default;
};

/// What joins the sites of a cluster. Without links no job has a home, and each may start anywhere.
struct Network {
  std::uint32_t sites = 0;
  std::vector<Link> links{};     ///< from `row` to `column`, row by row; empty if there are none
  Joules energy_per_gigabyte{};  ///< used at the site that sends

  bool empty() const { return links.empty(); }
  const Link& link(SiteId from, SiteId to) const {
    PENSTOCK_CHECK(from.index < sites && to.index < sites);
    return links[static_cast<std::size_t>(from.index) * sites + to.index];
  }
  bool joins(SiteId from, SiteId to) const {
    return from == to || link(from, to).megabits_per_second > 0;
  }
  /// Until files are there. The two must be joined.
  Duration delay(SiteId from, SiteId to, double gigabytes) const {
    if (from == to) return Duration::zero();
    const Link& way = link(from, to);
    return ceil_duration(8000 * gigabytes / way.megabits_per_second) + way.round_trip;
  }
  Money fee(SiteId from, SiteId to, double gigabytes) const {
    return from == to ? Money{} : link(from, to).per_gigabyte * gigabytes;
  }
};

/// The machines, as bought. What runs on them is in State.
struct Cluster {
  std::vector<GpuType> types{};   ///< indexed by GpuTypeId; at most 64
  std::vector<Site> sites{};      ///< indexed by SiteId
  std::vector<Node> nodes{};      ///< indexed by NodeId; a site's nodes are consecutive
  std::vector<NodeId> node_of{};  ///< indexed by GpuId
  std::vector<NodeTables> node_tables{};
  std::uint32_t racks = 0;
  Network network{};  ///< what joins the sites
  /// Devices to a GPU at all sites: 1, or 2, 4 or 8 slices where GPUs are shared. Nodes, types and
  /// tables then count slices wherever they say GPUs.
  std::uint32_t share = 1;

  std::uint32_t gpu_count() const { return static_cast<std::uint32_t>(node_of.size()); }
  const Node& node(NodeId id) const { return nodes[id.index]; }
  const Node& node(GpuId id) const { return nodes[node_of[id.index].index]; }
  const GpuType& type(const Node& node) const { return types[node.type.index]; }
  /// The tables by which a node is billed; nullptr if it has none.
  const NodeTables* tables(const Node& node) const {
    return node.tables == Node::kNoTables ? nullptr : &node_tables[node.tables];
  }
  bool has_power_table(const Node& node) const {
    return node.tables != Node::kNoTables && !node_tables[node.tables].power.empty();
  }
  /// Is any node rented, or any of one site?
  bool rents() const;
  bool rents(SiteId site) const;
};

/// One site by itself: nodes and GPUs are numbered from 0, types and racks as before.
Cluster single_site(const Cluster& cluster, SiteId site);

/// A run of like nodes, as a scenario lists them.
struct NodeGroup {
  std::uint32_t count = 0;
  std::uint32_t gpus = 0;
  GpuTypeId type{};
  std::uint32_t rack = 0;  ///< nodes per switch; 0 puts the whole group under one
  Watts base{};
  Watts base_sleep{};
  NodeTables tables{};
};

/// Adds `groups` as one more site. `cluster.types` must hold their types.
void add_site(Cluster& cluster, std::string name, const std::vector<NodeGroup>& groups);

}  // namespace penstock
