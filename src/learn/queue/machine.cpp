#include "learn/queue/machine.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace penstock {

double task_cost(const Job& job, const GpuType& type, const TaskRates& rates) {
  constexpr double kWattsOfKilowatt = 1000;
  const double rate =
      rates.per_kwh * type.peak.value() / kWattsOfKilowatt + rates.per_gpu_hour;  // a GPU-hour
  if (rate <= 0) return 1;
  const double hours = std::max(seconds(job.requested), 1e-3) / 3600;
  return rate * hours * static_cast<double>(job.gpus);
}

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
