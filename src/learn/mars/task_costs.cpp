#include "learn/mars/task_costs.h"

#include <algorithm>

namespace penstock {

double task_cost(const Job& job, const GpuType& type, const TaskRates& rates) {
  constexpr double kWattsOfKilowatt = 1000;
  const double rate =
      rates.per_kwh * type.peak.value() / kWattsOfKilowatt + rates.per_gpu_hour;  // a GPU-hour
  if (rate <= 0) return 1;
  const double hours = std::max(seconds(job.requested), 1e-3) / 3600;
  return rate * hours * static_cast<double>(job.gpus);
}

}  // namespace penstock
