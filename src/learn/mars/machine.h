#pragma once

#include <span>

#include "learn/mars/task_costs.h"
#include "model/cluster.h"
#include "model/site_signals.h"

namespace penstock {

/// Interchangeable GPUs of one type at one site: what one queue is served by.
struct Machine {
  GpuTypeId type_id{};
  GpuType type{};
  SiteId site{};
  std::uint32_t gpus = 0;
  TaskRates rates{};
};

/// The most GPUs of one type at one site; of equals, those of the first. The cluster has a node.
Machine largest_pool(const Cluster& cluster);

/// What energy costs at a site in the mean over a period, cooling included.
double mean_price_per_kwh(const SiteSignals& signals, Time from, Time until);

}  // namespace penstock
