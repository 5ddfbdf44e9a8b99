#pragma once

#include <vector>

#include "base/rng.h"
#include "model/cluster.h"

namespace penstock {

/// Bills most nodes of a cluster by tables of their own: of power, of rent, or of both. Nodes
/// with and without tables stand side by side, so that jobs lie over both.
class TableDice {
 public:
  /// `cluster` must outlive the dice.
  TableDice(std::uint64_t seed, Cluster& cluster)
      : rng_(Rng(seed).stream("tables")), cluster_(cluster) {}

  void roll() {
    for (Node& node : cluster_.nodes) {
      NodeTables tables;
      if (chance(0.6)) tables.power = rising<Watts>(node.gpus, 400);
      if (chance(0.4)) tables.rent = rising<MoneyRate>(node.gpus, 0.01);
      if (tables.empty()) continue;
      node.tables = static_cast<std::uint32_t>(cluster_.node_tables.size());
      cluster_.node_tables.push_back(std::move(tables));
    }
  }

 private:
  bool chance(double p) { return rng_.uniform() < p; }

  /// Often free when unused, and not always dearer for one GPU more.
  template <class Q>
  std::vector<Q> rising(std::uint32_t gpus, double step) {
    std::vector<Q> table{Q(chance(0.5) ? 0 : step * rng_.uniform())};
    while (table.size() <= gpus)
      table.push_back(table.back() + Q(chance(0.2) ? 0 : step * rng_.uniform()));
    return table;
  }

  Rng rng_;
  Cluster& cluster_;
};

}  // namespace penstock
