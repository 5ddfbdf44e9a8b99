#pragma once

#include "learn/queue/task.h"
#include "model/cluster.h"
#include "model/models.h"

namespace penstock {

/// What running costs, as rewards count it: money for energy, and for holding GPUs.
struct TaskRates {
  double per_kwh = 0;  ///< of the site's energy, cooling included
  double per_gpu_hour = 0;
};

/// What a job's slowdown is weighed by: the money it takes to run as asked on GPUs of the type, or
/// 1 where nothing costs anything.
double task_cost(const Job& job, const GpuType& type, const TaskRates& rates);

}  // namespace penstock
