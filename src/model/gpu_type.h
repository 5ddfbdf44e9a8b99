#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/units.h"

namespace penstock {

/// A kind of device a node is built of: a GPU, or the `cpu-core` of CPU traces.
struct GpuType {
  std::string name{};
  std::uint32_t min_clock_mhz = 0;  ///< lowest settable core clock; 0 where clocks are not modelled
  std::uint32_t max_clock_mhz = 0;
  std::uint32_t clock_step_mhz = 0;  ///< settable clocks are max, max − step, … not below min
  Watts idle{};
  Watts peak{};
  Watts sleep{};  ///< while its node sleeps
  double memory_gib = 0;
  std::string source{};  ///< where the numbers come from
};

/// Can the clock be set to this?
constexpr bool has_clock(const GpuType& type, std::uint32_t mhz) {
  if (mhz < type.min_clock_mhz || mhz > type.max_clock_mhz || mhz == 0) return false;
  if (type.clock_step_mhz == 0) return mhz == type.max_clock_mhz;
  return (type.max_clock_mhz - mhz) % type.clock_step_mhz == 0;
}

/// The types that a scenario can name without describing them.
std::span<const GpuType> gpu_catalogue();

}  // namespace penstock
