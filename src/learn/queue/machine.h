#pragma once

#include <span>

#include "learn/queue/task_sequence.h"
#include "model/cluster.h"
#include "model/models.h"
#include "model/site_signals.h"

namespace penstock {

/// What running costs, as rewards count it: money for energy, and for holding GPUs.
struct TaskRates {
  double per_kwh = 0;  ///< of the site's energy, cooling included
  double per_gpu_hour = 0;
};

/// What a job's slowdown is weighed by: the money it takes to run as asked on GPUs of the type, or
/// 1 where nothing costs anything.
double task_cost(const Job& job, const GpuType& type, const TaskRates& rates);

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
