#include "learn/mars/machine.h"

#include <map>

#include "base/check.h"

namespace penstock {

Machine largest_pool(const Cluster& cluster) {
  PENSTOCK_CHECK(!cluster.nodes.empty());
  std::map<std::pair<SiteId, GpuTypeId>, std::uint32_t> pools;
  for (const Node& node : cluster.nodes) pools[{node.site, node.type}] += node.gpus;
  Machine largest;
  for (const auto& [pool, gpus] : pools)
    if (gpus > largest.gpus)
      largest = {.type_id = pool.second,
                 .type = cluster.types[pool.second.index],
                 .site = pool.first,
                 .gpus = gpus};
  return largest;
}

double mean_price_per_kwh(const SiteSignals& signals, Time from, Time until) {
  return signals.price.mean(from, until).value() * signals.pue.mean(from, until).value();
}

}  // namespace penstock
