#include "policies/andreas/rates.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;

double mean_rate(const View& view, SiteId site, double carbon_price, Duration over) {
  const double price = view.outlook.price(site).mean(view.now, view.now + over).value();
  const double carbon =
      carbon_price == 0
          ? 0
          : carbon_price * view.outlook.carbon(site).mean(view.now, view.now + over).value();
  // Nobody decides by the last bits of a mean.
  const auto rate = static_cast<float>(std::max(0.0, price + carbon));
  return static_cast<double>(rate) * view.outlook.pue(site).value() / 1000;
}

}  // namespace

PowerRate power_rate(const View& view, SiteId site, double carbon_price, double interval) {
  return {mean_rate(view, site, carbon_price, round_duration(interval)),
          mean_rate(view, site, carbon_price, std::chrono::hours(24))};
}

std::vector<double> node_costs(const View& view, NodeId id, double rate, bool nodes_sleep) {
  const Cluster& cluster = view.state.cluster();
  const Node& node = cluster.node(id);
  const NodePhase unused = nodes_sleep ? NodePhase::asleep : NodePhase::awake;
  const NodeTables* tables = cluster.tables(node);
  std::vector<double> costs{idle_draw(cluster, node, unused).total().value() * rate};
  for (std::uint32_t used = 1; used <= node.gpus; ++used) {
    const Watts draw = tables != nullptr && !tables->power.empty()
                           ? tables->power[used]
                           : idle_draw(cluster, node, NodePhase::awake).total();
    double cost = draw.value() * rate;
    if (tables != nullptr && !tables->rent.empty())
      cost += tables->rent[used].value() * kSecondsPerHour;
    costs.push_back(std::max(cost, costs.back()));
  }
  return costs;
}

double own_cost(const View& view, const Node& node, Watts draw, std::uint32_t gpus, double rate) {
  const Cluster& cluster = view.state.cluster();
  if (cluster.has_power_table(node)) return 0;
  return std::max(0.0, (draw - cluster.type(node).idle * gpus).value()) * rate;
}

}  // namespace penstock
