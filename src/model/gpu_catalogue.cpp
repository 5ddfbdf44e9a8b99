#include <vector>

#include "model/gpu_type.h"

namespace penstock {

std::span<const GpuType> gpu_catalogue() {
  static const std::vector<GpuType> all = {
      {.name = "a100",
       .min_clock_mhz = 510,
       .max_clock_mhz = 1410,
       .clock_step_mhz = 15,
       .idle = Watts(50),
       .peak = Watts(400),
       .sleep = Watts(0),
       .memory_gib = 80,
       .source = "to be completed"},
  };
  return all;
}

}  // namespace penstock
