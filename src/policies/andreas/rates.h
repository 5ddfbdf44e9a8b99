#pragma once

#include "policy/policy.h"

namespace penstock {

/// What power costs at one site, cooling and carbon included. Never negative: being paid for
/// power is no reason to waste it.
struct PowerRate {
  double now = 0;    ///< money an hour for a watt, over the time to the next decision
  double later = 0;  ///< the same over the coming day, as forecast
};

PowerRate power_rate(const View& view, SiteId site, double carbon_price, double interval);

/// Money an hour of a node by GPUs in use, without what its jobs draw beyond idle.
std::vector<double> node_costs(const View& view, NodeId node, double rate, bool nodes_sleep);

/// Money an hour that a job costs beside its node's table: nothing where the table has it all.
double own_cost(const View& view, const Node& node, Watts draw, std::uint32_t gpus, double rate);

}  // namespace penstock
